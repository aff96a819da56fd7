import type { Answer, Client, Organization } from './signet.ts'

/** What a directory of an organization sends. */
export type Pushing = {
  id: string
  token: string
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Gives the user. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a user, member by member
  push(user: object): Promise<any>
  patch(id: string, ...operations: object[]): Promise<Answer>
  /** The users that a filter finds. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  find(filter: string): Promise<any[]>
}

export const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const patchOp = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

/** A directory with a token. `fields`: what a key sets of it. */
export async function startPushing(service: Client, organization: Organization, fields: object = {}): Promise<Pushing> {
  const ask = async (path: string, body: object) => {
    const answer = await service.as(organization, 'POST', `/organizations/directories${path}`, body)
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
    return answer.body.result
  }
  const { id } = await ask('', { name: 'Corp staff', ...fields })
  const { token } = await ask(`/${id}/tokens`, {})
  const call: Pushing['call'] = (method, path, body, headers = {}) =>
    service.call(
      method,
      `/scim/${organization.id}/v2${path}`,
      {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      body,
    )
  return {
    id,
    token,
    call,
    push: async (user) => {
      const answer = await call('POST', '/Users', { schemas: [core], ...user })
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
      return answer.body
    },
    patch: (user, ...Operations) => call('PATCH', `/Users/${user}`, { schemas: [patchOp], Operations }),
    find: async (filter) => {
      const { status, body } = await call('GET', `/Users?filter=${encodeURIComponent(filter)}`)
      if (status !== 200) throw new Error(JSON.stringify(body))
      return body.Resources
    },
  }
}

/** As Okta sends one. */
export const jo = {
  schemas: [core],
  userName: 'jo@corp.example',
  name: { givenName: 'Jo', familyName: 'Doe' },
  emails: [{ primary: true, value: 'jo@corp.example', type: 'work' }],
  displayName: 'Jo Doe',
  locale: 'en-US',
  externalId: '00ujo',
  groups: [],
  password: '1mz050nq',
  active: true,
}
