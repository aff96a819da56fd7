import { expect } from 'vitest'
import { beginSession } from '../../support/console.ts'
import type { Client, Organization } from '../../support/signet.ts'

/** Of an organization: what stands for a parameter of a path, by the name before it. */
export type Things = Record<string, string>

/** One of every kind that its own calls can make. */
export async function makeThings(client: Client, organization: Organization, name: string): Promise<Things> {
  const make = async (path: string, body?: unknown) => {
    const answer = await client.as(organization, 'POST', path, body)
    expect(answer.status, `${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300)
    return answer.body.result
  }
  await make('/groups', { name })
  const { person_id: person } = await make('/persons', {
    handles: [{ type: 'EmailAddress', value: `${name}@example.com` }],
    groups: [name],
  })
  const webhook = await make('/organizations/webhooks', { name, target_url: `https://${name}.example.com/` })
  const trigger = { trigger_type: 'event', trigger_name: 'PersonCreated_v1' }
  await make(`/organizations/webhooks/${webhook.id}/triggers`, trigger)
  const [event] = await make('/test-events', [{ event_name: 'PersonCreated_v1' }])
  const key = await make('/organizations/api-keys', { name, read_only: true })
  const application = await make('/organizations/applications', {
    name,
    redirect_uris: [`https://${name}.example.com/callback`],
    confidential: true,
  })
  const secret = await make(`/organizations/applications/${application.client_id}/secrets`)
  const resource = await make('/organizations/resources', { name, identifier: `https://${name}.example.com` })
  const link = await make('/organizations/sso/oidc/credential-links', { provider: 'provider_a', label: name })
  const directory = await make('/organizations/directories', { name, group_prefix: `${name}-` })
  const token = await make(`/organizations/directories/${directory.id}/tokens`, { name })
  const directoryLink = await make(`/organizations/directories/${directory.id}/links`, { name })
  await make('/groups', { name: `${name}-administrators` })
  const { body: settings } = await client.as(organization, 'GET', '/organizations/settings')
  const access = [...settings.result.console_access, { group: `${name}-administrators`, role: 'reader' }]
  await client.as(organization, 'PATCH', '/organizations/settings', { console_access: access })
  const invitation = await make('/organizations/console-invitations', { group: `${name}-administrators` })
  const credential = await make('/organizations/sso/oidc/provider-credentials', {
    client_id: `${name}-client`,
    client_secret: `${name}-secret`,
    provider: 'provider_a',
  })
  const test = await make(`/organizations/sso/oidc/provider-credentials/${credential.client_id}/test`)
  const session = await beginSession(client, organization)
  return {
    organizations: organization.id,
    groups: name,
    persons: person,
    webhooks: webhook.id,
    test: test.id,
    deliveries: event.event_id,
    events: event.event_id,
    identities: person,
    sessions: person,
    'api-keys': key.id,
    'console-sessions': session,
    applications: application.client_id,
    secrets: secret.id,
    resources: resource.id,
    'provider-credentials': credential.client_id,
    'credential-links': link.id,
    directories: directory.id,
    tokens: token.id,
    links: directoryLink.id,
    scim_id: directory.id,
    'console-invitations': invitation.id,
  }
}

/** The address with what is there in place of its parameters. */
export const addressOf = (path: string, things: Things): string =>
  path.replaceAll(/([\w-]+)\/\{(\w+)\}/g, (_parameter, before: string, name: string) => {
    const thing = things[name] ?? things[before]
    if (!thing) throw new Error(`${path}: nothing was made that stands behind ${before}`)
    return `${before}/${encodeURIComponent(thing)}`
  })
