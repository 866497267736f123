"""HTTP, name resolution, closed ports, TLS, and the APIs of model providers."""

from __future__ import annotations

from tdd_orchestrator.diagnosis.rules.row import rules

RULES = rules(
    r"""
family row routing=network-error error=integration category=TRANSIENT severity=MEDIUM weight=80
row net-rate-limit severity=LOW weight=86
  words    429  |  rate limit  |  Rate limit  |  rate-limit  |  rate_limit  |  RATE_LIMIT  |  rateLimit
             |  RateLimit  |  Too Many Requests  |  TooManyRequests  |  quota  |  overloaded_error
             |  529  |  Throttl  |  ThroughputExceeded  |  SlowDown  |  RequestLimitExceeded
  pattern  Throttl(?:ing|ed)\w*(?:Exception)?\b|ThroughputExceeded|\bSlowDown: |RequestLimitExceeded
           |(?i:rate.?limit.{0,3}(?:ed|ing|reached|exceeded|error|exception|hit)\b)|(?:exceeded|reached|hit
           |over) .{0,30}rate.limit|Too ?Many ?Requests|insufficient_quota|exceeded your current quota
           |overloaded_error|(?:[Ss]tatus(?:[ _-]?[Cc]ode)?|HTTP(?:/[\d.]+)?(?: [Ee]rror)?|[Ee]rror code
           |returned(?: error)?|failed with)['\"]?[:= ]{1,3}(?:HTTP |status |code )*(?:429|529)\b
           |(?:[Rr]equest|[Rr]esponse|\bAPI|[Ff]etch|GET|POST|PUT|PATCH|DELETE)\b.{0,80}[ (](?:429|529)\b
           |^[\w.]+: (?:429|529) [A-Z{]
  needs    Throttl  |  ThroughputExceeded  |  SlowDown  |  RequestLimit  |  429  |  529  |  ateLimit
             |  ate_limit  |  ate limit  |  ate-limit  |  RATE_LIMIT  |  quota
  sample   Traceback (most recent call last):\n  File "/repo/app/client.py", line 4, in stock\n    get()\n
           openai.RateLimitError: Error code: 429 - {'error': {'message': 'Rate limit reached'}}
row net-unauthorized category=PERMISSION severity=HIGH weight=86
  words    401  |  403  |  407  |  Unauthorized  |  Forbidden  |  AuthenticationError
             |  PermissionDeniedError  |  invalid x-api-key  |  Incorrect API key  |  Invalid username or
             |  Authentication failed for
  pattern  (?<![\w.:(]:)(?<![\w.(-])(?<!line )\b40[137]\b(?![:,.)]\d)(?! tests?).{0,60}(?:Unauthorized
           |Forbidden|Authentication|Client Error|['\"]error)|status(?:_code|Code
           | code)?['\"]?[:=]? ?40[137]\b|HTTP(?:/\d(?:\.\d)?)?(?: Error)? 40[137]\b|Client error '40[137]
           |returned error: 40[137]|AuthenticationError: (?:Error code|40)
           |PermissionDeniedError: (?:Error code|40)|invalid x-api-key|Incorrect API key
           |Authentication failed for 'http|Invalid username or (?:password|token)|\b40[137] Unauthorized
           |\b403 Forbidden
  sample   Traceback (most recent call last):\n  File "/repo/app/client.py", line 4, in stock\n    get()\n
           httpx.HTTPStatusError: Client error '401 Unauthorized' for url 'http://127.0.0.1:58080/x'
  sample   curl: (22) The requested URL returned error: 403
row net-bad-request category=LOGIC weight=84
  words    400  |  404  |  405  |  406  |  409  |  410  |  413  |  415  |  422  |  BadRequestError
             |  NotFoundError  |  UnprocessableEntityError
  pattern  Client error '4\d\d|\b4\d\d Client Error|HTTP(?:/\d(?:\.\d)?)?(?: Error)? 4(?:0[04-9]|1\d|22)\b
           |returned error: 4\d\d|status code:? 4\d\d|Error code: 4\d\d|Response code 4\d\d|(?:BadRequest
           |NotFound|UnprocessableEntity)Error: (?:Error code|4\d\d)|(?:status|statusCode): 4\d\d,
           |ERROR 4\d\d: |ClientResponseError: 4\d\d|repository '[^']*' not found
  sample   Traceback (most recent call last):\n  File "/repo/app/client.py", line 4, in stock\n    get()\n
           requests.exceptions.HTTPError: 404 Client Error: Not Found for url: http://127.0.0.1:58080/x
row net-server-error severity=LOW weight=84
  words    500  |  501  |  502  |  503  |  504  |  505  |  507  |  InternalServerError  |  Bad Gateway
             |  Service Unavailable  |  Gateway Time
  pattern  Server error '5\d\d|\b5\d\d Server Error|HTTP(?:/\d(?:\.\d)?)?(?: Error)?:? 50\d\b
           |returned error: 5\d\d|status code:? 5\d\d|Error code: 5\d\d|Response code 5\d\d|(?:status
           |statusCode)[:=] ?5\d\d\b|ERROR 5\d\d: |ClientResponseError: 5\d\d
           |InternalServerError: (?:Error code|5\d\d)|<title>50\d |\b50[234] (?:Bad Gateway
           |Service Unavailable|Gateway Time)|\b500 Internal Server Error|(?:GET|POST|PUT|PATCH
           |DELETE) \S{1,300} (?:returned |-> |=> |failed with )?(?:HTTP )?5\d\d\b|\bAPI\b.{0,60}\b(?:error
           |status|returned|failed)\b.{0,20}\b5\d\d\b|[Rr]equest.{0,80} failed:? (?:with )?
           (?:status )?5\d\d\b|^HTTP/\d(?:\.\d)? 5\d\d|status of 5\d\d
  sample   Traceback (most recent call last):\n  File "/repo/app/client.py", line 4, in stock\n    get()\n
           httpx.HTTPStatusError: Server error '503 Service Unavailable' for url 'http://127.0.0.1/s'
  sample   HTTP/1.1 502 Bad Gateway\nServer: nginx\n\n<html>
  sample   AxiosError: Request failed with status code 500\n    at settle
            (/repo/node_modules/axios/dist/node/axios.cjs:1:1)\n    at async push (/repo/src/client.js:3:3)
row net-cypress-load category=DEPENDENCY weight=81 secondary=ui-error
  words    failed trying to load  |  cy.request()` failed on
  pattern  `cy\.(?:visit\(\)` failed trying to load|request\(\)` failed on)
  sample     1) cart\n       opens:\n     CypressError: `cy.visit()` failed trying to load:\n\n
           http://localhost:3000/cart\n\nThe response we received from your web server was:\n\n
             > 500: Internal Server Error\n\n      at Context.eval (webpack:///./cypress/e2e/cart.cy.ts:6:7)
row net-cypress-refused-request category=LOGIC weight=84 secondary=ui-error
  words    > 4
  pattern  ^> 4\d\d: [A-Z]
  needs    cy.visit()`  |  cy.request()`
  sample     1) orders\n       lists:\n     CypressError: `cy.request()` failed on:\n\n
           http://localhost:3000/api/orders\n\nThe response we received from your web server was:\n\n
             > 404: Not Found\n\n      at Context.eval (webpack:///./cypress/e2e/orders.cy.ts:4:8)
row net-dns category=DEPENDENCY weight=85
  words    ENOTFOUND  |  EAI_AGAIN  |  Name or service not known  |  Temporary failure in name resolution
             |  Could not resolve host  |  getaddrinfo  |  gaierror  |  no such host
             |  UnknownHostException  |  nodename nor servname  |  NameResolutionError
             |  ERR_NAME_NOT_RESOLVED  |  unable to resolve host address
             |  Der Name oder der Dienst ist nicht bekannt  |  Nombre o servicio desconocido
             |  Konnte Host nicht auflösen  |  failed to lookup address  |  Could not resolve hostname
             |  nxdomain  |  php_network_getaddresses  |  DNS lookup failed  |  dns error
             |  DNS resolution failed  |  No address associated with hostname
  sample   curl: (6) Could not resolve host: rates.invalid
  sample   Traceback (most recent call last):\n  File "/repo/app/client.py", line 4, in stock\n    get()\n
           socket.gaierror: [Errno -2] Name or service not known
row net-refused category=DEPENDENCY weight=82
  words    ECONNREFUSED  |  Connection refused  |  connection refused  |  ConnectionRefusedError
             |  Failed to connect to  |  ERR_CONNECTION_REFUSED  |  Couldn't connect to server
             |  All connection attempts failed  |  Verbindungsaufbau abgelehnt  |  Conexión rehusada
             |  Connexion refusée  |  EHOSTUNREACH  |  ENETUNREACH  |  Network is unreachable
             |  No route to host  |  Cannot connect to host  |  Failed to open TCP connection
             |  ConnectException  |  APIConnectionError  |  Could not connect to  |  WinError 10061
             |  Conexión denegada  |  Cannot assign requested address  |  bad port  |  NewConnectionError
             |  Max retries exceeded  |  ERR_INTERNET_DISCONNECTED  |  ERR_ADDRESS_UNREACHABLE
             |  econnrefused  |  ConnectionRefused  |  Unable to connect. Is the computer
             |  Could not connect to the server
  sample   curl: (7) Failed to connect to 127.0.0.1 port 58999 after 0 ms: Couldn't connect to server
  sample   Traceback (most recent call last):\n  File "/repo/app/client.py", line 4, in stock\n    get()\n
           ConnectionRefusedError: [Errno 111] Connection refused
row net-timeout error=timeout severity=LOW weight=85
  words    ETIMEDOUT  |  ReadTimeout  |  ConnectTimeout  |  Read timed out  |  timed out  |  timeout of
             |  ECONNABORTED  |  UND_ERR_CONNECT_TIMEOUT  |  UND_ERR_HEADERS_TIMEOUT
             |  Operation timed out  |  Connection timed out  |  APITimeoutError
             |  SocketTimeoutException  |  HttpTimeoutException  |  HttpConnectTimeoutException
             |  Client.Timeout exceeded  |  ERR_TIMED_OUT  |  TimeoutError  |  Zeitüberschreitung
             |  Net::ReadTimeout  |  Net::OpenTimeout  |  ServerTimeoutError  |  i/o timeout
             |  ConnectionTimeoutError  |  tiempo de espera  |  operation was aborted due to timeout
  pattern  ETIMEDOUT|(?:^|\b)(?:httpx|httpcore|requests|urllib3|aiohttp|socket)[\w.]*(?:Time|time)out
           |Read timed out|(?<!Test )(?<!Hook )\btimeout of \d+ms exceeded|ECONNABORTED|UND_ERR_\w*TIMEOUT
           |curl: \(28\)|Connection timed out|APITimeoutError|Socket(?:TimeoutException)
           |Http\w*TimeoutException|Client\.Timeout exceeded|ERR_TIMED_OUT|urlopen error timed out
           |Net::(?:Read|Open)Timeout|ServerTimeoutError|i/o timeout|^TimeoutError: timed out|socket\.timeout
           |connect timed out|Operation timed out after|ConnectionTimeoutError|Timeout awaiting
           |Zeitüberschreitung der Verbindung|TimeoutError: The read operation timed out
           |aborted due to timeout|Connection timed out after|wget: download timed out
  sample   Traceback (most recent call last):\n  File "/repo/app/client.py", line 4, in stock\n    get()\n
           httpx.ReadTimeout: timed out
  sample   curl: (28) Operation timed out after 200 milliseconds with 0 bytes received
row net-tls category=DEPENDENCY severity=HIGH weight=87
  words    CERTIFICATE_VERIFY_FAILED  |  self-signed certificate  |  self signed certificate
             |  certificate has expired  |  SSL certificate problem  |  UNABLE_TO_VERIFY
             |  DEPTH_ZERO_SELF_SIGNED  |  SSLHandshakeException  |  wrong version number
             |  WRONG_VERSION_NUMBER  |  x509:␣  |  ERR_CERT_  |  ERR_SSL  |  SSLError  |  EPROTO
             |  certificate verify failed  |  packet length too long  |  tlsv1 alert  |  SSL_ERROR
             |  record layer failure  |  RECORD_LAYER_FAILURE
  sample   curl: (60) SSL certificate problem: self-signed certificate
row net-reset weight=83
  words    ECONNRESET  |  Connection reset  |  connection reset  |  socket hang up  |  EPIPE
             |  Broken pipe  |  RemoteDisconnected  |  Server disconnected  |  RemoteProtocolError
             |  Empty reply from server  |  ERR_EMPTY_RESPONSE  |  ERR_CONNECTION_RESET
             |  ERR_CONNECTION_CLOSED  |  IncompleteRead  |  Premature close  |  other side closed
             |  UND_ERR_SOCKET  |  BadStatusLine  |  ServerDisconnectedError
             |  Verbindung wurde vom Kommunikationspartner zurückgesetzt  |  unexpected EOF
             |  transfer closed with  |  hung up unexpectedly  |  early EOF  |  ContentTypeError
             |  HPE_INVALID  |  ChunkedEncodingError  |  Received HTTP/0.9  |  Weird server reply
             |  upstream connect error  |  kex_exchange_identification  |  Connection closed by
  pattern  ECONNRESET|[Cc]onnection reset|socket hang up|EPIPE|BrokenPipeError|RemoteDisconnected
           |Server disconnected|RemoteProtocolError|Empty reply|ERR_EMPTY_RESPONSE|ERR_CONNECTION_
           |IncompleteRead|Premature close|other side closed|UND_ERR_SOCKET|BadStatusLine|ServerDisconnected
           |zurückgesetzt|(?:http|net|Get|Post).{0,80}unexpected EOF|transfer closed with
           |hung up unexpectedly|early EOF|ContentTypeError|HPE_INVALID|ChunkedEncodingError|HTTP/0\.9
           |Weird server reply|upstream connect error|kex_exchange_identification
           |Connection closed by (?:remote host|[\d.]+ port)
  sample   curl: (52) Empty reply from server
  sample   Traceback (most recent call last):\n  File "/repo/app/client.py", line 4, in stock\n    get()\n
           ConnectionResetError: [Errno 104] Connection reset by peer
row net-expected-status category=DEPENDENCY weight=82 asserts=yes
  words    got 5  |  received 5  |  was 5  |  status 5
  pattern  [Ee]xpected (?:HTTP )?status(?: code)?:? [1-4]\d\d\b.{0,20}\b(?:got|received
           |was)(?: status)? 5\d\d\b
  sample   Expected status 200, got 500
  sample   AssertionError: Expected status 200, got 500
row net-address category=LOGIC weight=81
  words    Invalid URL  |  No scheme supplied  |  unsupported protocol  |  UnsupportedProtocol
             |  Protocol "  |  Invalid port  |  ERR_INVALID_URL  |  unknown url type  |  URL rejected
             |  Unsupported URL  |  unsupported URL  |  ERR_INVALID_PROTOCOL  |  MissingSchema
             |  InvalidURL  |  InvalidSchema  |  Exceeded 30 redirects  |  TooManyRedirects
             |  TOO_MANY_REDIRECTS  |  Maximum (  |  ERR_TOO_MANY_REDIRECTS
  pattern  (?:requests|httpx|urllib|curl|fetch|aiohttp).{0,40}(?:Invalid|Missing|Unsupported|TooMany)
           |unknown url type|URL rejected|[Uu]nsupported (?:protocol|URL)|Protocol \"[^\"]+\" not supported
           |Exceeded \d+ redirects|Maximum \(\d+\) redirects|TOO_MANY_REDIRECTS|MissingSchema|InvalidSchema
           |Invalid URL '
  sample   Traceback (most recent call last):\n  File "/repo/app/client.py", line 4, in stock\n    get()\n
           requests.exceptions.MissingSchema: Invalid URL 'x': No scheme supplied.
row net-fetch-failed category=DEPENDENCY weight=74
  words    fetch failed  |  Failed to fetch  |  NetworkError when attempting  |  Network request failed
             |  Network Error  |  unable to access 'http  |  Could not read from remote repository
             |  net::ERR_  |  curl: (  |  wget:␣  |  ClientConnectorError  |  requests.exceptions.
             |  httpx.  |  urllib.error.URLError  |  APIStatusError  |  APIError:  |  grpc.
             |  rpc error: code = Unavailable
  pattern  TypeError: (?:fetch failed|Failed to fetch|NetworkError)|Network (?:request failed|Error)$
           |unable to access 'http|Could not read from remote|net::ERR_(?!ABORTED)|^curl: \(\d+\)|^wget:
            |ClientConnectorError|^requests\.exceptions\.(?!JSON)|^httpx\.\w+|URLError|API(?:Status)?Error:
            |^grpc\.|code = Unavailable
  sample   TypeError: fetch failed\n    at node:internal/deps/undici/undici:1:1\n
               at async health (/repo/src/client.js:2:10)
"""
)
