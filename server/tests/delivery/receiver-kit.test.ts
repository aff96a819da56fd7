import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { buildConformanceKit } from '../../../scripts/packages/build-conformance-kit.ts'
import { nodeOfTheMachine } from '../support/node-of-the-machine.ts'
import { repository, temporaryFolder } from '../support/program.ts'

const read = (name: string) => JSON.parse(readFileSync(join(repository, 'sdk/webhooks/conformance', name), 'utf8'))
const ajv = new Ajv2020({ strict: false })

test('The data of the conformance kit are of the form that its schema says', () => {
  const isRight = ajv.compile(read('vectors.schema.json'))
  const vectors = read('vectors.json')
  expect(isRight(vectors), ajv.errorsText(isRight.errors)).toBe(true)
  expect(isRight({ ...vectors, tokens: [{ ...vectors.tokens[0], expect: 'refused' }] })).toBe(false)
})

test('The lines of an adapter are of the form that the schema of the protocol says', () => {
  ajv.addSchema(read('protocol.schema.json'), 'protocol')
  const fits = (part: string, line: object) => ajv.compile({ $ref: `protocol#/$defs/${part}` })(line)
  const question = { id: 1, now: 1, issuer: 'http://a', organization_id: 'b', target_url: 'c', body: 'd' }
  expect(fits('hello', { library: 'a', version: '1', clock: 'own', codes: false })).toBe(true)
  expect(fits('hello', { library: 'a', version: '1', clock: 'wall', codes: false })).toBe(false)
  expect(fits('question', question)).toBe(true)
  expect(fits('answer', { id: 1, result: 'refused', code: 'expired' })).toBe(true)
  expect(fits('answer', { id: 1, result: 'accepted', code: 'expired' })).toBe(false)
})

test('The packed kit runs in a folder of its own, on the Node of the machine', ({ onTestFinished }) => {
  const folder = temporaryFolder({ onTestFinished })
  execFileSync('tar', ['-xzf', buildConformanceKit(folder), '-C', folder])
  const place = join(folder, 'package')
  const node = nodeOfTheMachine() ?? process.execPath
  const args = ['run.js', '--only', 'exp', '--', node, 'example-adapter.js']
  expect(execFileSync(node, args, { cwd: place, encoding: 'utf8' })).toContain('With --only there is nothing to claim.')
  const broken = ['run.js', '--only', 'exp', '--', node, 'example-adapter.js', '--without', 'expiry']
  expect(() => execFileSync(node, broken, { cwd: place, stdio: 'pipe' })).toThrow(/Command failed/)
  expect(() => execFileSync(node, ['run.js'], { cwd: place, stdio: 'pipe' })).toThrow('Usage: node run.js ')
  expect(readFileSync(join(place, 'README.md'), 'utf8')).not.toMatch(/\.ts\b|\]\(\./)
})
