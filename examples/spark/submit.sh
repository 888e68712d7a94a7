#!/bin/sh
# spark-submit for a cluster of `yarnbox up --hadoop`: submit.sh PROGRAM [ARGUMENTS], options of spark-submit first.
# HADOOP_CONF_DIR is the cluster's run directory; Spark is the one of the `python` on the PATH.
set -eu
: "${HADOOP_CONF_DIR:?name the run directory of the cluster in HADOOP_CONF_DIR}"
python=${PYSPARK_PYTHON:-$(command -v python3)}
SPARK_HOME=${SPARK_HOME:-$("$python" -c 'import pyspark; print(pyspark.__path__[0])')}
export SPARK_HOME PYSPARK_PYTHON="$python" SPARK_LOCAL_IP=127.0.0.1

# Spark's jars are on this machine already: nothing is uploaded. All that listens does so on the loopback interface.
exec "$SPARK_HOME/bin/spark-submit" --master yarn \
  --conf "spark.yarn.jars=local:$SPARK_HOME/jars/*" \
  --conf "spark.yarn.stagingDir=file:$HADOOP_CONF_DIR/tmp/spark-staging" \
  --conf spark.yarn.appMasterEnv.SPARK_LOCAL_IP=127.0.0.1 \
  --conf spark.executorEnv.SPARK_LOCAL_IP=127.0.0.1 \
  --conf "spark.yarn.appMasterEnv.PYSPARK_PYTHON=$python" \
  --conf spark.driver.memory=512m --conf spark.executor.memory=512m \
  "$@"
