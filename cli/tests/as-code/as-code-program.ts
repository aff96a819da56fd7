import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { execute } from '../../src/program.ts'

export type Organization = { id: string; apiKey: string }
type Given = { baseUrl: string; organization: Organization; operatorKey?: string; environment?: Record<string, string> }
// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a record, member by member
type Records = any[]
/** `output` is what people see there and what they were asked; of `--json` it is in `records`. */
export type Run = { code: number; output: string; records: Records; error: string }

/** The program, run in this process. `answers`: what is said to its questions, in their order; absent: nobody is there. */
export async function run(
  given: Given,
  commandLine: string[],
  answers?: (boolean | (() => Promise<boolean>))[],
): Promise<Run> {
  const result: Run = { code: 0, output: '', records: [], error: '' }
  const left = [...(answers ?? [])]
  const ask = async (question: string) => {
    result.output += `${question}\n`
    const answer = left.shift() ?? false
    return typeof answer === 'function' ? answer() : answer
  }
  const restore = [
    replaceEnvironment(given),
    capture(process.stdout, (text) => {
      result.output += text
    }),
    capture(process.stderr, (text) => {
      result.error += text
    }),
    captureConsole(result),
  ]
  const signals = { take: () => new AbortController().signal, code: () => undefined }
  try {
    result.code = await execute(commandLine, { ...(answers && { ask }) }, signals)
  } finally {
    for (const each of restore) each()
    process.exitCode = 0
  }
  if (commandLine.includes('--json')) {
    result.records = result.output
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
    result.output = ''
  }
  return result
}

function replaceEnvironment({ baseUrl, organization, operatorKey, environment }: Given) {
  const settings = {
    SIGNET_URL: baseUrl,
    SIGNET_ORGANIZATION_ID: organization.id,
    SIGNET_API_KEY: organization.apiKey,
    SIGNET_OPERATOR_KEY: operatorKey ?? '',
    NO_COLOR: '1',
    ...environment,
  }
  const before = { ...process.env }
  Object.assign(process.env, settings)
  return () => {
    for (const name of Object.keys(settings)) {
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
    }
  }
}

function capture(stream: NodeJS.WriteStream, take: (text: string) => void) {
  const spy = vi.spyOn(stream, 'write').mockImplementation(((chunk: string | Uint8Array) => {
    take(String(chunk))
    return true
  }) as typeof stream.write)
  return () => spy.mockRestore()
}

/** A worker of the tests has a console of its own. */
function captureConsole(result: Run) {
  const error = vi.spyOn(console, 'error').mockImplementation((text) => {
    result.error += `${text}\n`
  })
  const log = vi.spyOn(console, 'log').mockImplementation((text) => {
    result.output += `${text}\n`
  })
  return () => {
    error.mockRestore()
    log.mockRestore()
  }
}

/** The path of a file with this content. */
export async function fileOf(content: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'signet-as-code-')), 'signet.yaml')
  await writeFile(path, content)
  return path
}
