import { complex, type ResourceSchema, reference, text } from './attributes.ts'

/** Of the extension that shows what Signet calls a group: `groupName`, read-only. */
export const signetGroupUrn = 'urn:signet:scim:schemas:1.0:Group'

export const maxMembers = 100_000

export const groupSchema: ResourceSchema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  name: 'Group',
  description: 'A group of persons',
  endpoint: '/Groups',
  attributes: [
    text('displayName', 'The name by which the directory knows the group', {
      required: true,
      uniqueness: 'server',
      maxLength: 256,
    }),
    complex(
      'members',
      'The persons in the group',
      [
        text('value', 'The id of the person', { caseExact: true, required: true, mutability: 'immutable' }),
        reference('$ref', 'The address of the person', { mutability: 'readOnly', referenceTypes: ['User'] }),
        text('type', 'Always User', {
          mutability: 'immutable',
          canonicalValues: ['User'],
          refuseOthers: 'nested groups are not supported',
        }),
        text('display', 'The name of the person', { mutability: 'readOnly' }),
      ],
      { multiValued: true, maxValues: maxMembers },
    ),
  ],
  extensions: [
    {
      id: signetGroupUrn,
      name: 'SignetGroup',
      description: 'What Signet calls the group',
      attributes: [
        text('groupName', 'The name in tokens and in the interface; it is made once and never changes', {
          caseExact: true,
          mutability: 'readOnly',
        }),
      ],
    },
  ],
}
