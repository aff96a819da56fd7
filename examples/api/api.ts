// An API that takes access tokens of Signet, by Express and jose. To run it:
//   ISSUER=<base URL>/oidc/<organization ID> RESOURCE=https://api.example.com node api.ts
// What a resource is, and how an application gets a token for it: docs/use/protect-an-api.md.
import express, { type NextFunction, type Request, type Response } from 'express'
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose'

const { ISSUER = '', RESOURCE = '', PORT = '3001', KEYS = `${ISSUER}/jwks` } = process.env
for (const [name, value] of Object.entries({ ISSUER, RESOURCE })) if (!value) throw new Error(`${name}: is required`)

// Fetched once, and again when a token names a key that is not in it.
const keys = createRemoteJWKSet(new URL(KEYS))

/** What the token says, where it is an access token of this issuer for this API: an ID token has another type and audience. */
async function verify(token: string): Promise<JWTPayload> {
  const { payload } = await jwtVerify(token, keys, {
    issuer: ISSUER,
    audience: RESOURCE,
    typ: 'at+jwt',
    algorithms: ['RS256'],
    requiredClaims: ['sub', 'client_id', 'exp'],
  })
  return payload
}

/** No answer to be had, or none that is a key set. */
const ofKeySet = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID'])

/** Refuses as RFC 6750 has it. */
function requireScope(scope: string) {
  return async (request: Request, response: Response, next: NextFunction) => {
    const [, token] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? []
    if (!token) return refuse(response, 401, 'Bearer')
    try {
      response.locals.claims = await verify(token)
    } catch (error) {
      // Without its keys the API cannot know, and says so.
      if (!(error instanceof errors.JOSEError) || ofKeySet.has(error.code)) return next(error)
      return refuse(response, 401, 'Bearer error="invalid_token"')
    }
    const granted = String(response.locals.claims.scope ?? '').split(' ')
    if (!granted.includes(scope)) return refuse(response, 403, `Bearer error="insufficient_scope", scope="${scope}"`)
    next()
  }
}

const refuse = (response: Response, status: number, challenge: string) =>
  response.status(status).set('www-authenticate', challenge).json({})

const api = express()

api.get('/orders', requireScope('orders:read'), (_request, response) => {
  const { sub, org_id, groups } = response.locals.claims
  response.json({ orders: [], for: sub, organization: org_id, groups })
})

api.listen(Number(PORT), '127.0.0.1', () => console.log('Listening'))
