import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { kill, killAllOn, type Life, repository } from '../support/program.ts'

/** The blocks of commands of a page in docs/guides/, in its order, with each text of `replaced` replaced. */
export function commandsOf(guide: string, replaced: Record<string, string | number>): string[] {
  const text = readFileSync(join(repository, 'docs/guides', guide), 'utf8')
  const blocks = [...text.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, block = '']) => block)
  return blocks.map((block) =>
    Object.entries(replaced).reduce((changed, [from, to]) => changed.replaceAll(from, `${to}`), block),
  )
}

/** A clone without a folder `data`, where others may enter, as PostgreSQL must when root starts it. */
export function makeClone({ onTestFinished }: Life): string {
  const clone = mkdtempSync(join(tmpdir(), 'signet-clone-'))
  onTestFinished(() => {
    killAllOn(clone)
    rmSync(clone, { recursive: true, maxRetries: 10 })
  })
  for (const name of readdirSync(repository))
    if (name !== 'data') symlinkSync(join(repository, name), join(clone, name))
  return clone
}

/** A machine that is busy with other test files takes its time. */
const patienceMs = 40_000

export type Terminal = {
  /** Runs commands as they are pasted, line by line. Gives what they, and what runs beside them, have said since. */
  paste(commands: string): Promise<string>
  /** Waits until something has said that since the last commands. */
  says(pattern: RegExp): Promise<string>
}

/** What npm would do, but for looking whether something is to be installed. It finds the Node of the clone first. */
const shortcuts = `
npm() { local PATH=$PWD/node_modules/.bin:$PATH name=$1; [ $name = run ] && name=$2; eval "$(node -p 'require("./package.json").scripts[process.argv[1]]' $name)"; }
npx() { shift; PATH=$PWD/node_modules/.bin:$PATH node server/src/signet.ts "$@"; }
`

/** Without what npm puts before it, so that `node` is the machine's, which may be an older one. */
const pathOfMachine = () =>
  process.env.PATH?.split(delimiter)
    .filter((folder) => !folder.endsWith(join('node_modules', '.bin')))
    .join(delimiter)

/** A shell in a folder; it ends with the first command that fails. */
export function openTerminal({ onTestFinished }: Life, cwd: string, environment: Record<string, string>): Terminal {
  const env = { PATH: pathOfMachine(), NODE_OPTIONS: process.env.NODE_OPTIONS, ...environment }
  const shell = spawn('bash', ['-e'], { cwd, env, stdio: 'pipe', detached: true })
  let output = ''
  let read = 0
  let listen = () => {}
  for (const stream of [shell.stdout, shell.stderr])
    stream.on('data', (chunk) => {
      output += chunk
      listen()
    })
  const ended = new Promise<never>((_, reject) => {
    shell.once('exit', (code) => reject(new Error(`the shell ended with ${code}:\n${output}`)))
  })
  ended.catch(() => {})
  // With what it started and what is left of that.
  onTestFinished(() => kill(-(shell.pid as number)))
  shell.stdin.write(shortcuts)
  const says = async (pattern: RegExp) => {
    const said = new Promise<void>((resolve) => {
      listen = () => pattern.test(output.slice(read)) && resolve()
      listen()
    })
    const late = AbortSignal.timeout(patienceMs)
    const tooLate = new Promise<never>((_, reject) => {
      late.onabort = () => reject(new Error(`did not say ${pattern}:\n${output}`))
    })
    await Promise.race([said, ended, tooLate])
    return output.slice(read)
  }
  let count = 0
  return {
    says,
    paste: (commands) => {
      read = output.length
      const done = `pasted ${++count}`
      shell.stdin.write(`${commands}\necho "${done}"\n`)
      return says(new RegExp(`^${done}$`, 'm'))
    },
  }
}
