# GREEN: an access key in a data file
# begins with: tools, solution
write(
    "aws.txt",
    """\
aws_access_key_id = AKIAIOSFODNN7EXAMPLQ
aws_secret_access_key = wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEYab
""",
)
