import { ownServer } from './own-server.ts'

export const okta = ownServer({
  tokenAuth: 'basic',
  serverOption: 'organization_url',
  issuerOf: ({ organizationUrl }) => organizationUrl,
  idToken: { algorithms: ['RS256'], areDiscovered: ({ issuer }) => issuer !== undefined },
})
