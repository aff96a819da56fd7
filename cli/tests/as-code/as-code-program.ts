import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { addAsCodeCommands } from '../../src/as-code/index.ts'

export type Organization = { id: string; apiKey: string }
type Given = { baseUrl: string; organization: Organization; operatorKey?: string; environment?: Record<string, string> }
// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a record, member by member
type Records = any[]
export type Run = { code: number; output: string; records: Records; error: string }

/** The two commands in a program of their own. `answers`: what is said to its questions, in their order; absent: nobody is there. */
export async function run(
  given: Given,
  commandLine: string[],
  answers?: (boolean | (() => Promise<boolean>))[],
): Promise<Run> {
  const result: Run = { code: 0, output: '', records: [], error: '' }
  const program = new Command('signet').exitOverride().option('--json')
  const left = [...(answers ?? [])]
  addAsCodeCommands(program, {
    connection: (_, own) => {
      const { id: organizationId, apiKey } = given.organization
      return { baseUrl: given.baseUrl, organizationId, apiKey, operatorKey: given.operatorKey, ...own }
    },
    output: () => ({
      isJson: program.opts().json === true,
      line: (text) => {
        result.output += `${text}\n`
      },
      record: (record) => void result.records.push(record),
    }),
    environment: given.environment ?? {},
    ask:
      answers &&
      (async (question) => {
        result.output += `${question}\n`
        const answer = left.shift() ?? false
        return typeof answer === 'function' ? answer() : answer
      }),
    setExitCode: (code) => {
      result.code = code
    },
  })
  await program.parseAsync(commandLine, { from: 'user' }).catch((error) => {
    result.code = 1
    result.error = error.message
  })
  return result
}

/** The path of a file with this content. */
export async function fileOf(content: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'signet-as-code-')), 'signet.yaml')
  await writeFile(path, content)
  return path
}
