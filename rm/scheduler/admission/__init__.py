"""What a scheduler lets in: submissions, and the asks of AMs.

submission    who may submit, and in whose place an application is placed
requests      asks validated and normalized
autocorrect   asks that cross with what was allocated for earlier ones
"""
