import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { actionSections, sayAction } from './actions.ts'

const ids = join(import.meta.dirname, '../../../server/tests/interface/operation-ids.json')
/** Nobody reads the log of an organization that is deleted; those of applications and links and test events leave no entry. */
const withoutEntries = ['deleteOrganization', 'openCredentialLink', 'publishPageEvent', 'publishTestEvents']
/** Of the console's own session and of the commands that move an organization, which no document has. */
const outsideOfTheDocument = [
  'createConsoleSession',
  'deleteConsoleSession',
  'moveOrganizationIn',
  'moveOrganizationOut',
  'startMovedOrganization',
  'undoOrganizationMove',
]

test('Each operation that leaves an entry can be chosen, and nothing else', () => {
  const operations: Record<string, string> = JSON.parse(readFileSync(ids, 'utf8'))
  const writing = Object.entries(operations).flatMap(([id, path]) => (path.startsWith('get ') ? [] : [id]))
  const leaving = writing.filter((id) => !withoutEntries.includes(id))
  const chosen = actionSections.flatMap(([, actions]) => actions)
  expect(chosen.toSorted()).toEqual([...leaving, ...outsideOfTheDocument].toSorted())
})

test('No two actions are called the same', () => {
  const said = actionSections.flatMap(([, actions]) => actions.map(sayAction))
  expect(new Set(said).size).toBe(said.length)
  expect(said).toContain('Create API key')
})
