# GREEN: info/exclude and info/attributes
# begins with: tools, solution
# expect: T
(USER / ".git/info").mkdir(exist_ok=True)
(USER / ".git/info/attributes").write_text("* filter=x")
(USER / ".git/info/exclude").write_text("*")
