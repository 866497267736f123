"""Browsers and rendered pages: locators, queries, visibility."""

from __future__ import annotations

from tdd_orchestrator.diagnosis.rules.row import rules

RULES = rules(
    r"""
family row routing=ui-error error=test category=LOGIC severity=MEDIUM weight=78
row ui-element-missing weight=79
  words    not found  |  not visible  |  was not found
  pattern  \b[Ee]lement \W?\[?(?:data-|aria-|#|\.|\w+\[)\S* (?:was )?not (?:found|visible)
  sample   element [data-testid='submit-button'] not found
row ui-locator-timeout error=timeout weight=86
  words    Timeout␣  |  timeout  |  Timed out
  pattern  (?:[Ll]ocator|Page|Frame|ElementHandle|page|frame|locator|elementHandle)\.(?!goto|reload
           |wait_for_(?:url|load|event|request|response)|waitFor(?:URL|Load|Event|Request|Response
           |Navigation)|go_?[bB]ack)\w+: (?:Test timeout of|Timeout) \d+ms exceeded
  sample     1) [chromium] › tests/a.spec.ts:5:1 › pays ───\n\n    Test timeout of 30000ms exceeded.\n\n
               Error: locator.click: Test timeout of 30000ms exceeded.\n\n
                   at /repo/tests/a.spec.ts:7:51
  sample   E   playwright._impl._errors.TimeoutError: Locator.click: Timeout 500ms exceeded.\nE   Call log:\n
           E     - waiting for locator("#pay")\n\ntests/test_page.py:4: TimeoutError
row ui-navigation-timeout error=timeout category=TRANSIENT severity=LOW weight=84
  words    Timeout␣  |  timeout of␣
  pattern  (?:Page|Frame|page|frame)\.(?:goto|reload|wait_for_\w+|waitFor\w+|go_?[bB]ack): (?:Test timeout of
           |Timeout) \d+ms exceeded
  sample   playwright._impl._errors.TimeoutError: Page.wait_for_url: Timeout 500ms exceeded.
row ui-expectation weight=85 asserts=yes
  words    Locator expected  |  Page expected  |  Page title expected  |  Page URL expected
             |  Aria snapshot  |  toBeVisible  |  toBeInTheDocument  |  toHaveTextContent  |  toHaveText
             |  toContainText  |  toBeDisabled  |  toBeEnabled  |  toBeChecked  |  toHaveValue
             |  toHaveAttribute  |  toHaveClass  |  toHaveFocus  |  toBeHidden  |  toHaveCount
             |  toHaveURL  |  toHaveTitle  |  toBeFocused  |  toHaveStyle  |  toHaveCSS  |  toBeEditable
             |  toBeAttached  |  toBeInViewport  |  toHaveDisplayValue  |  toBeRequired
             |  toBeEmptyDOMElement  |  toContainElement  |  toHaveAccessibleName  |  toBeInvalid
             |  toHaveScreenshot
  pattern  ^(?:AssertionError: |Error: )?(?:(?:Locator|Page)(?: \w{1,10})? expected|Aria snapshot)
           |expect\((?:element|locator|page|received|.{0,120})\)(?:\.not|\.resolves)*\.to(?:Be(?:Visible
           |InTheDocument|Disabled|Enabled|Checked|Hidden|Focused|Editable|Attached|InViewport|Required
           |EmptyDOMElement|Invalid)|Have(?:TextContent|Text|Value|Attribute|Class|Focus|Count|URL|Title
           |Style|CSS|DisplayValue|AccessibleName|Screenshot)|Contain(?:Text|Element))\b
  sample     ● hidden\n\n    expect(element).toBeVisible()\n\n    Received element is not visible:\n
                 <p />\n\n      at Object.toBeVisible (src/app.test.js:6:40)\n\nTest Suites: 1 failed, 1 total
row ui-query weight=88
  words    TestingLibraryElementError  |  Unable to find an element
             |  Unable to find an accessible element  |  Unable to find role  |  Found multiple elements
             |  Unable to find a label  |  Found a label with the text  |  Unable to fire a
  sample     ● form\n\n    TestingLibraryElementError: Unable to find an element by:
            [data-testid="submit-button"]\n\n      at Object.getByTestId (src/app.test.js:6:10)\n\n
           Test Suites: 1 failed
row ui-element-not-found weight=86
  words    NoSuchElementException  |  no such element  |  Unable to locate element
             |  Expected to find element  |  Expected to find content  |  NoSuchElementError
             |  not found in DOM  |  selector  |  ElementNotFound  |  No node found for selector
             |  failed to find element  |  element ("  |  element with selector  |  Unable to find␣
             |  No elements found for  |  No views in hierarchy  |  does not match any element
             |  empty DOMWrapper  |  Found 0 widgets  |  No matches found for  |  no element matching
             |  could not find element  |  Could not find element  |  No such element
  pattern  (?<!java\.util\.)NoSuchElement|no such element|Unable to locate element
           |Expected to find (?:element|content)|[Ss]elector [`'\"\[].{1,200}not found|not found in DOM
           |ElementNotFound|No node found for selector|failed to find element matching selector
           |[Ww]aiting for selector [`'\"].{1,200}(?:failed|exceeded)|^TimeoutError: [Ww]aiting for selector
           |element \(\".{1,200}\"\) still not|No elements found for|No views in hierarchy
           |selector does not match any element|empty DOMWrapper|Found 0 widgets|No matches found for (?:Find
           |Descendants|.{0,40}(?:Button|Element))|[Cc]ould not find element|[Nn]o (?:such )?element matching
           |No such element|element with selector .{1,200}(?:wasn't found|still not)
  sample   selenium.common.exceptions.NoSuchElementException: Message: no such element: Unable to locate
            element: {"method":"css selector","selector":"#pay"}
  sample   Error: selector [data-testid='submit-button'] not found
row ui-element-state category=STATE weight=87
  words    StaleElementReference  |  stale element  |  ElementNotInteractable
             |  element not interactable  |  ElementClickIntercepted  |  element click intercepted
             |  not visible  |  not clickable  |  not attached to the DOM  |  detached from the DOM
             |  is being covered  |  intercepts pointer events  |  Element is not  |  element is not
             |  is not an <input>  |  strict mode violation  |  InvalidElementState
             |  MoveTargetOutOfBounds  |  failed because this element  |  failed because the element
             |  Node is detached  |  not a checkbox
  pattern  StaleElement|stale element|ElementNotInteractable|element not interactable|ElementClickIntercepted
           |click intercepted|(?:[Ee]lement|`<).{0,120} (?:is )?not (?:visible|clickable|attached|enabled
           |editable|an <)|not attached to the DOM|detached from the DOM|is being covered
           |intercepts pointer events|strict mode violation|InvalidElementState|MoveTargetOutOfBounds
           |failed because (?:this|the) element|Node is detached|Not a checkbox
  sample   selenium.common.exceptions.StaleElementReferenceException: Message: stale element reference: stale
            element not found
  sample   Error: element #pay is not visible
  sample   E   playwright._impl._errors.Error: Locator.click: Error: strict mode violation: locator("button")
            resolved to 2 elements
row ui-page-closed category=STATE weight=86
  words    Target page, context or browser has been closed  |  TargetClosedError  |  NoSuchWindow
             |  no such window  |  browser has been closed  |  Target closed  |  InvalidSessionId
             |  invalid session id  |  NoSuchFrame  |  no such frame  |  UnexpectedAlertPresent
             |  NoAlertPresent  |  Session closed  |  frame was detached
             |  Execution context was destroyed  |  session deleted  |  page crash  |  tab crashed
             |  no such node  |  shadow root  |  Cannot find context with specified id  |  disconnected:␣
  pattern  page, context or browser has been closed|TargetClosed|NoSuchWindow|no such (?:window|frame|node
           |shadow root|handle|history entry)|browser has been closed|Target closed|InvalidSessionId
           |invalid session id|NoSuchFrame|UnexpectedAlertPresent|NoAlertPresent|Session closed\. Most likely
           |frame was detached|Execution context was destroyed|session deleted|page crash|tab crashed
           |detached shadow root|context with specified id|disconnected: (?:not connected to DevTools
           |received Inspector)
  sample   playwright._impl._errors.TargetClosedError: Page.click: Target page, context or browser has been
            closed
row ui-selector-syntax category=SEMANTIC weight=87
  words    InvalidSelector  |  invalid selector  |  is not a valid selector  |  Unexpected token
             |  Unknown engine  |  Malformed selector  |  unknown pseudo-class
  pattern  InvalidSelector|invalid selector|is not a valid (?:XPath )?(?:selector|expression)|(?:parsing
           |while parsing) (?:css )?selector|Unknown engine \"|Malformed selector
           |unknown pseudo-class selector
  sample   selenium.common.exceptions.InvalidSelectorException: Message: invalid selector: An invalid or
            illegal selector was specified
row ui-cypress-timeout weight=76 asserts=yes
  words    Timed out retrying after  |  CypressError
  pattern  Timed out retrying after \d+ms|CypressError
  sample     1) shop\n       pays:\n     AssertionError: Timed out retrying after 4000ms: expected '<p>' to
            have text '12'\n      at Context.eval (webpack://shop/./cypress/e2e/pay.cy.js:4:24)
row ui-selenium-timeout error=timeout weight=79
  words    TimeoutException: Message
  sample   selenium.common.exceptions.TimeoutException: Message:␣
row ui-other weight=72
  words    selenium.common.exceptions.  |  playwright._impl._errors  |  locator(  |  waiting for locator
             |  waiting for get_by_  |  waiting for getBy  |  waiting for Locator(
             |  PlaywrightException  |  com.microsoft.playwright.  |  Protocol error (
  pattern  selenium\.common\.exceptions\.(?!WebDriverException: Message: (?:unknown error: net::
           |.*(?:DevToolsActivePort|not created)))|Protocol error \([A-Z]\w+\.\w+\)
           |playwright\._impl\._errors\.Error: (?:Locator|ElementHandle)|waiting for (?:[lL]ocator
           |[gG]et_?[bB]y)|PlaywrightException|com\.microsoft\.playwright\.\w
  sample   selenium.common.exceptions.WebElementException: Message: odd
row ui-browser-missing error=dependency category=DEPENDENCY severity=HIGH weight=89
  words    Executable doesn't exist  |  playwright install  |  cannot find Chrome binary
             |  Unable to obtain driver  |  NoSuchDriverException  |  browserType.launch
             |  BrowserType.launch  |  session not created  |  DevToolsActivePort
             |  Could not find Chrome  |  Failed to launch the browser
  sample   browserType.launch: Executable doesn't exist at /repo/.cache/ms-playwright/chromium
"""
)
