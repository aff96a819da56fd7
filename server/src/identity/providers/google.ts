import { isTrue, readAttributes, readSubject } from './claims.ts'
import type { Connector } from './connector.ts'

const publicIssuer = 'https://accounts.google.com'

export const google: Connector = {
  tokenAuth: 'post',
  overridable: ['issuer'],
  prompts: ['select_account'],
  parameters: ['login_hint'],
  locate: ({ override: { issuer = publicIssuer }, discover, fetch }) =>
    discover(issuer, (named) => named === issuer, fetch),
  idToken: { algorithms: ['RS256'], areDiscovered: ({ issuer }) => issuer !== undefined },
  identify: async ({ claims }) => ({
    subject: readSubject(claims.sub),
    ...readAttributes({
      email: claims.email,
      profile: claims,
      emailVerified: isTrue(claims.email_verified) && isGoogleAddress(claims),
    }),
  }),
}

/** A Gmail address, or one of a domain that Google hosts; any other was confirmed once, perhaps long ago. */
const isGoogleAddress = ({ email, hd }: Record<string, unknown>) =>
  typeof hd === 'string' || /@(gmail|googlemail)\.com$/i.test(String(email))
