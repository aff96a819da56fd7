/** How the suite would judge a module: it certifies with `warning` and `skipped`. */
export type Outcome = 'passed' | { warning: string } | { skipped: string }

export type Kind = 'passed' | 'warning' | 'skipped'
export const kindOf = (outcome: Outcome): Kind =>
  outcome === 'passed' ? outcome : 'warning' in outcome ? 'warning' : 'skipped'

type Module = { name: string; checks: string; outcome: Outcome }
type Plan = { name: string; profile: string; modules: Module[] }

const module = (name: string, checks: string, outcome: Outcome = 'passed'): Module => ({ name, checks, outcome })

/** The reasons are the suite's, for a provider that leaves out what is optional. */
const noAddress: Outcome = { skipped: '`scopes_supported` does not have the scope `address`.' }
const inIdToken: Outcome = { warning: 'The ID token has the address too: many clients read it there and nowhere else.' }
const noRequestObject: Outcome = { skipped: 'The error is `request_not_supported`: request objects are optional.' }

/**
 * The modules of the OpenID Foundation's conformance suite that are mirrored here, in the order of its plans. What each checks is
 * read from its source of 20 August 2026; front-channel logout, which needs third-party cookies, is not offered.
 */
export const plans: Plan[] = [
  {
    name: 'oidcc-basic-certification-test-plan',
    profile: 'Basic OP',
    modules: [
      module('oidcc-server', 'The code flow from discovery to user info, with every check of the ID token.'),
      module('oidcc-response-type-missing', 'A request without `response_type` is an error, and gives no code.'),
      module('oidcc-idtoken-signature', 'The ID token is signed with RS256, by a key that the key set names.'),
      module('oidcc-idtoken-unsigned', 'An ID token of a client that registered `none` has no signature.', {
        skipped: '`id_token_signing_alg_values_supported` does not have `none`.',
      }),
      module('oidcc-userinfo-get', 'User info by GET, with the token in the header.'),
      module('oidcc-userinfo-post-header', 'User info by POST, with the token in the header.'),
      module('oidcc-userinfo-post-body', 'User info by POST, with the token in the form.'),
      module(
        'oidcc-ensure-request-without-nonce-succeeds-for-code-flow',
        'The code flow needs no nonce (OpenID Connect Core, 3.1.2.1).',
      ),
      module('oidcc-scope-profile', 'User info has the claims of `profile`.', {
        warning: 'User info has not all fourteen claims of `profile`: a provider sends some of seven of them.',
      }),
      module('oidcc-scope-email', 'User info has the claims of `email`, and the ID token has not.', inIdToken),
      module('oidcc-scope-address', 'User info has the claim `address`.', noAddress),
      module('oidcc-scope-phone', 'User info has the claims of `phone`.'),
      module('oidcc-scope-all', 'User info has the claims of `email`, `phone`, `address` and `profile`.', noAddress),
      module('oidcc-alternate-happy-flow', 'As before, with scopes and parameters in another order.', inIdToken),
      module('oidcc-display-page', '`display=page` is no error.'),
      module('oidcc-display-popup', '`display=popup` is no error.'),
      module('oidcc-prompt-login', '`prompt=login` has the person sign in again: `auth_time` is later.'),
      module('oidcc-prompt-none-not-logged-in', '`prompt=none` without a session is `login_required`.'),
      module('oidcc-prompt-none-logged-in', '`prompt=none` with a session: the same `sub` and `auth_time`.'),
      module('oidcc-max-age-1', '`max_age=1` after two seconds has the person sign in again.'),
      module('oidcc-max-age-10000', '`max_age=10000` uses the session, and the ID token has `auth_time`.'),
      module('oidcc-ensure-request-with-unknown-parameter-succeeds', 'A parameter that nobody knows is ignored.'),
      module('oidcc-id-token-hint', '`prompt=none` with `id_token_hint`: the same `sub` and `auth_time`.'),
      module('oidcc-login-hint', '`login_hint` is no error.'),
      module('oidcc-ui-locales', '`ui_locales` is no error.'),
      module('oidcc-claims-locales', '`claims_locales` is no error.'),
      module('oidcc-ensure-request-with-acr-values-succeeds', '`acr_values` is no error.', {
        warning: 'The ID token has no `acr`, which it should have where `acr_values` asks for one.',
      }),
      module('oidcc-codereuse', 'A code that is used twice is `invalid_grant`.'),
      module('oidcc-codereuse-30seconds', 'The same after 30 seconds; and the access token of the first use ends.'),
      module('oidcc-ensure-registered-redirect-uri', 'A redirect URI that is not registered: a page, no redirect.'),
      module('oidcc-ensure-post-request-succeeds', 'The request comes by POST.'),
      module('oidcc-server-client-secret-post', 'The code flow with `client_secret_post`.'),
      module(
        'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported',
        '`request_uri` is obeyed, or `request_uri_not_supported`.',
        { skipped: 'The error is `request_uri_not_supported`: it is optional.' },
      ),
      module(
        'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
        '`request` is obeyed, or `request_not_supported`.',
        noRequestObject,
      ),
      module('oidcc-claims-essential', 'A request for the claim `name` is no error; user info has the name.', {
        warning: 'User info has no `name`: `claims_parameter_supported` is false.',
      }),
      module(
        'oidcc-ensure-request-object-with-redirect-uri',
        'A redirect URI beside a request object with another one: the registered one is not called.',
      ),
      module('oidcc-refresh-token', 'A refresh gives new tokens, to the client that it was issued to and no other.'),
      module('oidcc-ensure-request-with-valid-pkce-succeeds', 'The code flow with PKCE by S256.'),
    ],
  },
  {
    name: 'oidcc-config-certification-test-plan',
    profile: 'Config OP',
    modules: [
      module(
        'oidcc-discovery-endpoint-verification',
        'The metadata: required members, the issuer, https, algorithms, the key set.',
      ),
    ],
  },
  {
    name: 'oidcc-rp-initiated-logout-certification-test-plan',
    profile: 'RP-Initiated OP',
    modules: [
      module('oidcc-rp-initiated-logout-discovery-endpoint-verification', 'The metadata has `end_session_endpoint`.'),
      module('oidcc-rp-initiated-logout', 'Back at the registered address with `state`; the session has ended.'),
      module('oidcc-rp-initiated-logout-bad-post-logout-redirect-uri', 'An address that is not registered: a page.'),
      module('oidcc-rp-initiated-logout-modified-id-token-hint', 'A hint without a signature: a page, no redirect.'),
      module('oidcc-rp-initiated-logout-no-id-token-hint', 'An address without a hint: a page, no redirect.'),
      module('oidcc-rp-initiated-logout-no-params', 'No parameters: a page that says that the person is signed out.'),
      module('oidcc-rp-initiated-logout-no-post-logout-redirect-uri', 'A hint and no address: the same page.'),
      module('oidcc-rp-initiated-logout-no-state', 'Back without `state`; the session has ended.'),
      module('oidcc-rp-initiated-logout-only-state', '`state` alone: the same page.'),
      module(
        'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri',
        'The registered address with a query added to it: a page.',
      ),
      module('oidcc-rp-initiated-logout-bad-id-token-hint', 'A hint that another key signed: a page, no redirect.'),
    ],
  },
  {
    name: 'oidcc-backchannel-rp-initiated-logout-certification-test-plan',
    profile: 'Back-Channel OP',
    modules: [
      module(
        'oidcc-backchannel-logout-discovery-endpoint-verification',
        'The metadata offers back-channel logout, with sessions.',
      ),
      module(
        'oidcc-backchannel-rp-initiated-logout',
        'A sign-out sends a logout token to the application, and then the browser back to it.',
      ),
    ],
  },
]
