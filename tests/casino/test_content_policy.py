"""Every page tells the browser to run nothing but our own files."""


def test_every_answer_forbids_inline_script_and_style(client):
    policy = client.get("/no-such-page/").headers["Content-Security-Policy"]
    assert policy == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        "connect-src 'self'; manifest-src 'self'; worker-src 'self'; frame-ancestors 'none'; "
        "form-action 'self'; base-uri 'none'"
    )
