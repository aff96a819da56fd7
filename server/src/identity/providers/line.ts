import { readAttributes, readSubject } from './claims.ts'
import type { Connector } from './connector.ts'

const publicIssuer = 'https://access.line.me'

/**
 * ID tokens of a web sign-in are HS256 with the channel secret, whatever discovery says; ES256 is used elsewhere. LINE does
 * not say whether an address is verified.
 */
export const line: Connector = {
  tokenAuth: 'post',
  overridable: ['issuer'],
  prompts: ['login'],
  parameters: ['max_age', 'ui_locales'],
  locate: ({ override: { issuer = publicIssuer }, discover, fetch }) =>
    discover(issuer, (named) => named === issuer, fetch),
  idToken: { algorithms: ['HS256', 'ES256'] },
  /** LINE writes errors in capitals, such as `ACCESS_DENIED`. */
  normalizeCallback: (parameters) => {
    const normalized = new URLSearchParams(parameters)
    const error = normalized.get('error')
    if (error) normalized.set('error', error.toLowerCase())
    return normalized
  },
  identify: async ({ claims }) => ({
    subject: readSubject(claims.sub),
    ...readAttributes({ email: claims.email, emailVerified: false, profile: claims }),
  }),
}
