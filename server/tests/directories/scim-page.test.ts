import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Attribute, commonAttributes } from '../../src/identity/scim/schema/attributes.ts'
import { groupSchema } from '../../src/identity/scim/schema/group-schema.ts'
import { userSchema } from '../../src/identity/scim/schema/user-schema.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/scim.md'), 'utf8')

const [enterprise] = userSchema.extensions
const [ofSignet] = groupSchema.extensions

/** The first three columns of a section's table. */
function rowsOf(heading: string): string[][] {
  const [, section = ''] = page.split(`\n### ${heading}\n`)
  const lines = (section.split('\n#')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'))
  return lines.map((line) => line.split(/ *\| */).slice(1, 4))
}

const writers = { readWrite: 'directory', immutable: 'directory', readOnly: 'Signet', writeOnly: 'nobody' }

const rowFor = ({ name, subAttributes = [], mutability }: Attribute) => [
  `\`${name}\``,
  subAttributes.map((sub) => `\`${sub.name}\``).join(', '),
  writers[mutability],
]

test.each([
  ['Both', commonAttributes],
  ['User', userSchema.attributes],
  ['Enterprise user', enterprise?.attributes ?? []],
  ['Group', groupSchema.attributes],
  ["Signet's group", ofSignet?.attributes ?? []],
])('The page has each attribute: %s', (heading, attributes) => {
  expect(rowsOf(heading)).toEqual(attributes.map(rowFor))
})

test('The page has each kind of refusal', () => {
  const errors = readFileSync(join(import.meta.dirname, '../../src/identity/scim/errors.ts'), 'utf8')
  const [, kinds = ''] = /export type ScimType =\n((?: {2}\| '\w+'\n)+)/.exec(errors) ?? []
  const named = [...page.matchAll(/^\| 4\d\d \| `(\w+)` \|/gm)].map(([, kind]) => kind)
  expect(named.toSorted()).toEqual([...kinds.matchAll(/'(\w+)'/g)].map(([, kind]) => kind).toSorted())
})
