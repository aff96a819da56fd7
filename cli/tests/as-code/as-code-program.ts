import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Signet } from '@signet/management'
import { Command } from 'commander'
import { registerApply, registerExport } from '../../src/as-code/index.ts'
import { createOutput, type Output, type Printed } from '../../src/output.ts'
import type { Context } from '../../src/program.ts'

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
  const contextOf = (): Context => ({
    output: outputInto(result, program.opts().json === true),
    takeSignal: () => new AbortController().signal,
    environment: { ...given.environment, ...(given.operatorKey && { SIGNET_OPERATOR_KEY: given.operatorKey }) },
    connect: () => {
      const place = placeOf(given)
      return { ...place, signet: new Signet({ ...place, baseUrl: place.url }) }
    },
    place: () => placeOf(given),
    connectWithoutKey: () => ({ ...placeOf(given), signet: new Signet({ baseUrl: placeOf(given).url }) }),
    ask:
      answers &&
      (async (question) => {
        result.output += `${question}\n`
        const answer = left.shift() ?? false
        return typeof answer === 'function' ? answer() : answer
      }),
  })
  registerExport(program, contextOf)
  registerApply(program, contextOf)
  await program
    .parseAsync(commandLine, { from: 'user' })
    .then(() => {
      result.code = Number(process.exitCode ?? 0)
    })
    .catch((error) => {
      result.code = 1
      result.error = error.message
    })
  process.exitCode = 0
  return result
}

const placeOf = ({ baseUrl, organization }: Given) => ({
  url: baseUrl,
  organizationId: organization.id,
  apiKey: organization.apiKey,
})

/** The output of the program, kept. */
function outputInto(result: Run, isJson: boolean): Output {
  const line = async (text: string) => {
    result.output += `${text}\n`
  }
  const record = async (printed: Printed) => void result.records.push(printed)
  return {
    ...createOutput({ isJson }),
    line,
    record,
    show: (printed, text) => (isJson ? record(printed) : line(text)),
    note: line,
  }
}

/** The path of a file with this content. */
export async function fileOf(content: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'signet-as-code-')), 'signet.yaml')
  await writeFile(path, content)
  return path
}
