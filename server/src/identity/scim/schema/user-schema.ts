import { complex, flag, list, type ResourceSchema, reference, type Schema, text } from './attributes.ts'

export const enterpriseUrn = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

const enterprise: Schema = {
  id: enterpriseUrn,
  name: 'EnterpriseUser',
  description: 'What a company knows of a person',
  attributes: [
    text('employeeNumber', 'The number of the employee'),
    text('costCenter', 'The cost center'),
    text('organization', 'The organization'),
    text('division', 'The division'),
    text('department', 'The department'),
    complex('manager', 'The manager', [
      text('value', 'The id of the manager, as the directory gave it', { caseExact: true }),
      reference('$ref', 'The address of the manager', { referenceTypes: ['User'] }),
      text('displayName', 'The name of the manager', { mutability: 'readOnly' }),
    ]),
  ],
}

const value = (description: string) => text('value', description)
const display = text('display', 'How it is shown')

export const userSchema: ResourceSchema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  description: 'A person',
  endpoint: '/Users',
  extensions: [enterprise],
  attributes: [
    text('userName', 'The name by which the directory knows the person', {
      required: true,
      uniqueness: 'server',
      maxLength: 256,
    }),
    complex('name', 'The parts of the name', [
      text('formatted', 'The whole name'),
      text('familyName', 'The family name'),
      text('givenName', 'The given name'),
      text('middleName', 'The middle name'),
      text('honorificPrefix', 'What stands before the name'),
      text('honorificSuffix', 'What stands behind the name'),
    ]),
    text('displayName', 'The name to show'),
    text('nickName', 'The casual name'),
    reference('profileUrl', 'A page about the person', { referenceTypes: ['external'] }),
    text('title', 'The title'),
    text('userType', 'What ties the person to the company'),
    text('preferredLanguage', 'The language that the person reads'),
    text('locale', 'How numbers and dates are written'),
    text('timezone', 'The time zone'),
    flag('active', 'Whether the person may sign in, as far as the directory says so'),
    text('password', 'Accepted and thrown away: persons sign in by a credential', {
      caseExact: true,
      mutability: 'writeOnly',
      returned: 'never',
    }),
    list('emails', 'E-mail addresses', ['work', 'home', 'other'], [value('The address'), display]),
    list(
      'phoneNumbers',
      'Telephone numbers',
      ['work', 'home', 'mobile', 'fax', 'pager', 'other'],
      [value('The number'), display],
    ),
    list('ims', 'Addresses of instant messaging', [], [value('The address'), display]),
    list(
      'photos',
      'Pictures of the person',
      ['photo', 'thumbnail'],
      [reference('value', 'The address of the picture', { referenceTypes: ['external'] }), display],
    ),
    list(
      'addresses',
      'Postal addresses',
      ['work', 'home', 'other'],
      [
        text('formatted', 'The whole address'),
        text('streetAddress', 'Street and number'),
        text('locality', 'The city'),
        text('region', 'The region'),
        text('postalCode', 'The postal code'),
        text('country', 'The country'),
      ],
    ),
    complex(
      'groups',
      'The groups of this directory that the person is in',
      [
        text('value', 'The id of the group', { caseExact: true, mutability: 'readOnly' }),
        reference('$ref', 'The address of the group', { mutability: 'readOnly', referenceTypes: ['Group'] }),
        text('display', 'The name of the group', { mutability: 'readOnly' }),
        text('type', 'Always direct', { mutability: 'readOnly', canonicalValues: ['direct'] }),
      ],
      { multiValued: true, mutability: 'readOnly' },
    ),
  ],
}
