import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from '../support/program.ts'
import { commonClients, furtherClients, versionOf } from './support/clients.ts'
import { journeyThrough } from './support/journey.ts'

journeyThrough(commonClients)

test.each([...commonClients, ...furtherClients])(
  'The client $name is in the table of the documentation, in the version that is tried',
  (client) => {
    const documentation = readFileSync(join(repository, 'docs/use/signing-in.md'), 'utf8')
    expect(documentation).toContain(`\n| ${client.name} | ${versionOf(client)} | `)
  },
)
