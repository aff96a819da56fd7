/** The parts of the interface, in the order in which the document has them. */
export const tags = [
  {
    name: 'Groups',
    description:
      "Groups of persons. The groups that a person is in become the claim `groups` of that person's ID tokens.",
  },
  {
    name: 'Persons',
    description:
      'Those who sign in: their handles (e-mail addresses and phone numbers), groups, and identities at identity providers.',
  },
  {
    name: 'Webhooks',
    description:
      'Addresses that Signet calls, the triggers that they are called for, and the keys that their receivers verify calls with.',
  },
  { name: 'Deliveries', description: 'What became of each call to a webhook, and how to have it made once more.' },
  {
    name: 'Events',
    description:
      'The feed of events, for readers that come back with a cursor, and what a client publishes: test events, and the page views of an application.',
  },
  {
    name: 'SSO credentials',
    description: 'OAuth clients at identity providers, with which the persons of an organization sign in.',
  },
  {
    name: 'Directories',
    description: "Customers' directories, which keep persons and groups of an organization by SCIM 2.0.",
  },
  {
    name: 'Applications',
    description:
      'OpenID Connect clients: what the persons of an organization sign in to, and the keys of their ID tokens.',
  },
  {
    name: 'Resources',
    description: 'The APIs of an organization, for which its applications get access tokens.',
  },
  { name: 'Organization settings', description: 'Who may register, and whose identities are linked.' },
  { name: 'API keys', description: 'The keys that an organization calls this interface with.' },
  { name: 'Console', description: 'Who is signed in at the console.' },
  { name: 'Audit log', description: 'Who changed what through this interface, and what it was before.' },
  { name: 'Quota', description: 'The pricing tier of an organization, and how much of its limits is used.' },
  { name: 'Organizations', description: 'For the operator of the service alone: the organizations that it serves.' },
  { name: 'Installation', description: 'For the operator of the service alone: its processes and regions.' },
] as const

export type TagName = (typeof tags)[number]['name']
