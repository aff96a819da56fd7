import { clientOf } from './client.ts'
import type { Credentials } from './exchange.ts'
import type { Signet } from './signet.ts'

/** Where the client of a directory finds Signet. */
export type Directory = { port: number; path: string; token: string }

const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const domain = 'staff.example.com'

/** Over HTTP: a directory that vouches for its addresses. */
export async function openDirectory(
  { port }: Pick<Signet, 'port'>,
  { organizationId, apiKey }: Credentials,
): Promise<Directory> {
  const { post } = clientOf(port, { 'service-orgid': organizationId, 'service-api-key': apiKey })
  const fields = { name: 'Bench', match: 'none', email_domains: [domain] }
  const { id, scim_url } = await post('/organizations/directories', fields)
  const { token } = await post(`/organizations/directories/${id}/tokens`, {})
  return { port, path: new URL(scim_url).pathname, token }
}

/** A request as one text; `what` is method and path below the SCIM address. The body has no other letters than ASCII. */
export function textOfScim({ port, path, token }: Directory, what: string, body?: object): string {
  const json = body ? JSON.stringify(body) : ''
  const [method, below] = what.split(' ')
  return `${method} ${path}${below} HTTP/1.1\r
host: localhost:${port}\r
authorization: Bearer ${token}\r
content-type: application/scim+json\r
content-length: ${json.length}\r
\r
${json}`
}

export const patchOf = (...Operations: object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
})

/** As Okta pushes one. */
export const newUser = (series: string, n: number) => ({
  schemas: [userSchema],
  userName: `${series}-${n}@${domain}`,
  externalId: `00u${series}${n}`,
  name: { givenName: 'Jo', familyName: `Doe ${n}` },
  displayName: `Jo Doe ${n}`,
  emails: [{ primary: true, type: 'work', value: `${series}-${n}@${domain}` }],
  active: true,
})
