/** What can have been done, by what it was done to, as the ids of operations. */
export const actionSections: readonly (readonly [string, readonly string[]])[] = [
  [
    'Persons',
    [
      'createPerson',
      'changePerson',
      'deletePerson',
      'setPersonGroups',
      'addPersonGroups',
      'removePersonGroup',
      'addPersonIdentity',
      'deletePersonIdentity',
      'endPersonSession',
      'endPersonSessions',
    ],
  ],
  ['Groups', ['createGroup', 'changeGroup', 'deleteGroup', 'addGroupMembers', 'removeGroupMember']],
  [
    'Webhooks',
    [
      'createWebhook',
      'changeWebhook',
      'deleteWebhook',
      'createTrigger',
      'deleteTrigger',
      'dryRunWebhook',
      'rotateVerificationKeys',
    ],
  ],
  ['Deliveries', ['redeliver', 'redeliverSpan', 'redeliverLogout', 'tryDelivery', 'signDelivery']],
  [
    'Credentials',
    [
      'createOidcCredential',
      'modifyOidcCredential',
      'deleteOidcCredential',
      'endSessionsOfOidcCredential',
      'createTestSignIn',
      'createCredentialLink',
      'useCredentialLink',
      'deleteCredentialLink',
    ],
  ],
  [
    'Directories',
    [
      'createDirectory',
      'changeDirectory',
      'deleteDirectory',
      'createDirectoryToken',
      'revokeDirectoryToken',
      'createDirectoryLink',
      'useDirectoryLink',
      'deleteDirectoryLink',
      'tieDirectoryGroup',
    ],
  ],
  [
    'By a directory',
    [
      'createScimUser',
      'adoptScimUser',
      'replaceScimUser',
      'changeScimUser',
      'deleteScimUser',
      'createScimGroup',
      'replaceScimGroup',
      'changeScimGroup',
      'deleteScimGroup',
    ],
  ],
  [
    'Applications',
    [
      'createApplication',
      'changeApplication',
      'deleteApplication',
      'createClientSecret',
      'rotateClientSecret',
      'deleteClientSecret',
      'createResource',
      'changeResource',
      'deleteResource',
      'rotateSigningKeys',
    ],
  ],
  ['API keys', ['createApiKey', 'changeApiKey', 'revokeApiKey', 'createOrganizationApiKey']],
  [
    'The console',
    [
      'createConsoleSession',
      'deleteConsoleSession',
      'endConsoleSession',
      'createConsoleInvitation',
      'deleteConsoleInvitation',
    ],
  ],
  [
    'The organization',
    [
      'changeSettings',
      'changeLogo',
      'deleteLogo',
      'createOrganization',
      'changeOrganization',
      'moveOrganizationOut',
      'moveOrganizationIn',
      'startMovedOrganization',
      'undoOrganizationMove',
    ],
  ],
]

/** Where the id of the operation is not what somebody would say. */
const words: Record<string, string> = {
  createConsoleSession: 'Sign in to the console',
  deleteConsoleSession: 'Sign out of the console',
  endConsoleSession: 'End a session of the console',
  createConsoleInvitation: 'Invite to the console',
  deleteConsoleInvitation: 'Withdraw an invitation',
  modifyOidcCredential: 'Change OIDC credential',
  createOrganizationApiKey: 'Create API key as the operator',
  tieDirectoryGroup: 'Tie a group of a directory',
  redeliver: 'Resend an event',
  redeliverSpan: 'Recover failed events',
  redeliverLogout: 'Resend a logout',
  tryDelivery: 'Try one event now',
  signDelivery: 'Sign an event anew',
}

/** `createOidcCredential` as `Create OIDC credential`. */
export function sayAction(action: string) {
  const said = action
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/\b(api|oidc|scim)\b/g, (name) => name.toUpperCase())
  return words[action] ?? said.charAt(0).toUpperCase() + said.slice(1)
}
