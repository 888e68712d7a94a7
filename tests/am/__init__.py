"""Tests of the ApplicationMaster library and of the applications that come along."""
