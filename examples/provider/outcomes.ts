/** How a sign-in at the example provider may end, and what its page says of it. */
export const outcomes = {
  verified: 'Log in, with a verified address',
  unverified: 'Log in, with an address that is not verified',
  wrong_nonce: 'Log in, with the nonce of another sign-in',
  token_error: 'Log in, then fail at the token endpoint',
  access_denied: 'Refuse: access_denied',
  server_error: 'Fail: server_error',
  temporarily_unavailable: 'Fail: temporarily_unavailable',
}
export type Outcome = keyof typeof outcomes
