import type { ResourceSchema } from './attributes.ts'

export const enterpriseUrn = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

export const userSchema: ResourceSchema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  description: 'A person',
  endpoint: '/Users',
  attributes: [],
  extensions: [],
}
