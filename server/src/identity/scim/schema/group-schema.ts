import type { ResourceSchema } from './attributes.ts'

/** Of the extension that shows what Signet calls a group: `groupName`, read-only. */
export const signetGroupUrn = 'urn:signet:scim:schemas:1.0:Group'

export const groupSchema: ResourceSchema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  name: 'Group',
  description: 'A group of persons',
  endpoint: '/Groups',
  attributes: [],
  extensions: [],
}
