# GREEN: a private key in the code
# begins with: tools, solution
write(
    "settings.py",
    """\
KEY = \"\"\"-----BEGIN RSA PRIVATE KEY-----
MIIEowIBAAKCAQEA7bq
-----END RSA PRIVATE KEY-----\"\"\"
""",
)
