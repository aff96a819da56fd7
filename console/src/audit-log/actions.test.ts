import { Signet } from '@signet/management'
import { expect, test } from 'vitest'
import { actionSections, sayAction } from './actions.ts'

/** Nobody reads the log of an organization that is deleted; pages of applications, links that are opened and test events leave no entry. */
const withoutEntries = [
  'deleteOrganization',
  'openCredentialLink',
  'openDirectoryLink',
  'publishPageEvent',
  'publishTestEvents',
]
/** Of the console's own session, of the commands that move an organization, and of SCIM, which no document has. */
const outsideOfTheDocument = [
  'adoptScimUser',
  ...['User', 'Group'].flatMap((kind) => ['create', 'replace', 'change', 'delete'].map((act) => `${act}Scim${kind}`)),
  'createConsoleSession',
  'deleteConsoleSession',
  'moveOrganizationIn',
  'moveOrganizationOut',
  'startMovedOrganization',
  'undoOrganizationMove',
]

test('Each operation of the generated client that leaves an entry can be chosen, and nothing else', () => {
  const methods = namesOf(Signet.prototype).filter((name) => !/^(constructor$|get|list|count|search|follow)/.test(name))
  const leaving = methods.filter((id) => !withoutEntries.includes(id))
  const chosen = actionSections.flatMap(([, actions]) => actions)
  expect(chosen.toSorted()).toEqual([...leaving, ...outsideOfTheDocument].toSorted())
})

const namesOf = (methods: object): string[] =>
  methods === Object.prototype
    ? []
    : [...Object.getOwnPropertyNames(methods), ...namesOf(Object.getPrototypeOf(methods))]

test('No two actions are called the same', () => {
  const said = actionSections.flatMap(([, actions]) => actions.map(sayAction))
  expect(new Set(said).size).toBe(said.length)
  expect(said).toContain('Create API key')
})
