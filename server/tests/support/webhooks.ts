import type { Client, Organization } from './signet.ts'

/** A new webhook that is called on these events; gives its id. */
export async function addWebhook(
  client: Client,
  organization: Organization,
  targetUrl: string,
  eventNames: string[] = [],
  fields: object = {},
): Promise<string> {
  const { body } = await client.as(organization, 'POST', '/organizations/webhooks', {
    target_url: targetUrl,
    name: 'Test webhook',
    ...fields,
  })
  const id: string = body.result.id
  for (const trigger_name of eventNames)
    await client.as(organization, 'POST', `/organizations/webhooks/${id}/triggers`, {
      trigger_type: 'event',
      trigger_name,
    })
  return id
}

export const eventNames = [
  'AuthenticationSucceeded_v1',
  'AuthenticationFailed_v1',
  'VirtualPageLoaded_v1',
  'PersonCreated_v1',
  'PersonDeleted_v1',
  'PersonDeactivated_v1',
  'PersonActivated_v1',
  'PersonGroupsChanged_v1',
]
