import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** One of the receivers in examples. */
export type Language = {
  name: string
  /** What has to be installed where the machine lacks it, on Debian. */
  packages: string
  /** Whether it serves https itself; else something speaks TLS before it. */
  speaksTls: boolean
  /** What it says once it listens. */
  listening: RegExp
  /** Of those that are tried, the first one with all that the receiver needs. */
  probes: string[][]
  /** Runs the receiver with the program of the probe that was right, in a folder that is the test's. */
  command(program: string, folder: string, port: number): string[]
}

const folder = 'examples/receivers'

export const languages: Language[] = [
  {
    name: 'Node',
    packages: 'nodejs',
    speaksTls: true,
    listening: /^Listening: /m,
    probes: [[process.execPath, '--version']],
    command: (node) => [node, 'examples/receiver/receiver.ts'],
  },
  {
    name: 'Python',
    packages: 'python3-jwt python3-cryptography',
    speaksTls: true,
    listening: /^Listening: /m,
    // A Python that somebody installed besides that of the system has no packages of the system.
    probes: ['python3', '/usr/bin/python3'].map((python) => [python, '-c', 'import jwt, cryptography']),
    command: (python) => [python, `${folder}/receiver.py`],
  },
  {
    name: 'Go',
    packages: 'golang-go',
    speaksTls: true,
    listening: /^Listening: /m,
    probes: [['go', 'version']],
    command: (go, place) => {
      const program = join(place, 'receiver')
      const sources = ['main', 'verify', 'key_set'].map((file) => `${folder}/go/${file}.go`)
      execFileSync(go, ['build', '-o', program, ...sources], { env: { ...process.env, GOCACHE: join(place, 'cache') } })
      return [program]
    },
  },
  {
    name: 'PHP',
    packages: 'php-cli',
    speaksTls: false,
    listening: /Development Server .* started/,
    probes: [['php', '-r', 'exit((int) !function_exists("openssl_verify"));']],
    command: (php, _place, port) => [php, '-S', `127.0.0.1:${port}`, `${folder}/php/receiver.php`],
  },
  {
    name: 'Ruby',
    packages: 'ruby ruby-jwt ruby-webrick',
    speaksTls: true,
    listening: /^Listening: /m,
    probes: [['ruby', '-e', 'require "jwt"; require "webrick/https"']],
    command: (ruby) => [ruby, `${folder}/receiver.rb`],
  },
]

/** The program that runs this language; undefined where the machine lacks it, or what the receiver needs. */
export function programOf({ probes }: Language): string | undefined {
  return probes.find(([program = '', ...args]) => succeeds(program, args))?.[0]
}

function succeeds(program: string, args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
