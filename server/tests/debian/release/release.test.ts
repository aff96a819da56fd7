import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { repository, run } from '../../support/program.ts'

const hour = 3_600_000
const { HOME = tmpdir(), NODE_EXTRA_CA_CERTS = '' } = process.env

test(
  'The rehearsal of the committed version makes everything, and proves what can be proved here',
  async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'signet-rehearsal-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
    const [clone, made] = [join(folder, 'clone'), join(folder, 'made')]
    execFileSync('git', ['clone', '--quiet', '--no-local', '--depth=1', repository, clone])
    const command = ['npm', '--prefix', clone, 'run', 'release:rehearse', '--', made]
    const rehearsal = run(context, command, { HOME, NODE_EXTRA_CA_CERTS })
    const status = await rehearsal.ended
    expect(status, rehearsal.output()).toBe(0)
    const table = readFileSync(join(made, 'rehearsal.md'), 'utf8')
    for (const row of [
      'signet-server-',
      'oci.tar',
      'deployment',
      'npx @signet/server dev .* Node 20',
      'image .* read-only',
    ])
      expect(table).toMatch(new RegExp(`\\| ${row}.*\\| proved `))
    expect(table).not.toContain('| failed')
    for (const file of ['SHA256SUMS', 'release-notes.md', 'deployment/compose.yaml'])
      expect(existsSync(join(made, file)), file).toBe(true)
  },
  hour,
)
