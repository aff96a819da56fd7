import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startOwnSignet } from '../../../server/tests/support/signet.ts'

const root = join(import.meta.dirname, '../../..')
let service: Awaited<ReturnType<typeof startOwnSignet>>

beforeAll(async () => {
  service = await startOwnSignet()
})
afterAll(() => service?.stop())

test('Every command of the guide to organizations as code does what the guide says', async () => {
  const organization = await service.organization()
  const folder = await mkdtemp(join(tmpdir(), 'signet-guide-'))
  const program = join(folder, 'signet')
  await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'cli/src/main.ts')}" "$@"\n`)
  await chmod(program, 0o700)
  const script = scriptOf(await readFile(join(root, 'docs/organizations-as-code.md'), 'utf8'))
  const env = {
    PATH: [folder, process.env.PATH].join(delimiter),
    SIGNET_URL: service.baseUrl,
    SIGNET_ORGANIZATION_ID: organization.id,
    SIGNET_API_KEY: organization.apiKey,
  }
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env })
  expect(stdout).toContain('Plan: 5 to create, 1 to change, 0 to delete.')
  expect(stdout).not.toContain('2nQ7')
  expect(stdout.trimEnd().split('\n').slice(-2)).toEqual(['No changes.', 'No changes.'])
  expect((await service.as(organization, 'GET', '/groups')).body.result).toEqual(['engineering'])
})

/** Its blocks in their order: YAML is the file, the others are commands. */
function scriptOf(guide: string): string {
  const blocks = [...guide.matchAll(/^```(sh|yaml)\n(.*?)^```$/gms)]
  expect(blocks).toHaveLength(7)
  const toCommand = ([, kind, text]: string[]) => (kind === 'sh' ? text : `cat > signet.yaml <<'END'\n${text}END\n`)
  return blocks.map(toCommand).join('')
}
