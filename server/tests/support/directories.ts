import type { Client, Organization } from './signet.ts'

/** What the client of a directory is given. */
export type Access = { id: string; address: string; token: string }

/** A directory of an organization, with a token. */
export async function openDirectory(client: Client, organization: Organization, fields: object = {}): Promise<Access> {
  const as = async (path: string, body: object) => {
    const answer = await client.as(organization, 'POST', path, body)
    if (answer.status !== 201) throw new Error(`POST ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body.result
  }
  const { id, scim_url } = await as('/organizations/directories', { name: 'Staff', match: 'none', ...fields })
  const { token } = await as(`/organizations/directories/${id}/tokens`, {})
  return { id, address: `${client.baseUrl}${new URL(scim_url).pathname}`, token }
}
