"""What a scheduler lets in: submissions, and the asks of AMs.

submission    who may submit, and in whose place an application is placed
requests      asks validated and normalized
start_order   in which order waiting attempts are asked whether they may run
autocorrect   asks that cross with what was allocated for earlier ones
"""
