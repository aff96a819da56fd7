import { ownServer } from './own-server.ts'

/** A customer's own provider, whichever it is. What a document does not list is RS256 (OpenID Connect Discovery, 3). */
export const ownOidc = ownServer({
  tokenAuth: 'discovered',
  serverOption: 'issuer',
  issuerOf: ({ namedIssuer }) => namedIssuer,
  idToken: { algorithms: ['RS256'], areDiscovered: () => true },
})
