import { readAttributes, readSubject } from './claims.ts'
import type { Connector } from './connector.ts'

const publicIssuer = 'https://access.line.me'

/**
 * ID tokens of a web sign-in are HS256 with the channel secret, whatever discovery says; ES256 is for others. It says of
 * no address whether it was verified.
 */
export const line: Connector = {
  tokenAuth: 'post',
  overridable: ['issuer'],
  prompts: ['login'],
  parameters: ['max_age', 'ui_locales'],
  locate: ({ override: { issuer = publicIssuer }, discover, fetch }) =>
    discover(issuer, (named) => named === issuer, fetch),
  idToken: { algorithms: ['HS256', 'ES256'] },
  /** `ACCESS_DENIED` and the like. */
  fitAnswer: (answer) => {
    const fitted = new URLSearchParams(answer)
    const error = fitted.get('error')
    if (error) fitted.set('error', error.toLowerCase())
    return fitted
  },
  identify: async ({ claims }) => ({
    subject: readSubject(claims.sub),
    ...readAttributes({ email: claims.email, name: claims.name, emailVerified: false }),
  }),
}
