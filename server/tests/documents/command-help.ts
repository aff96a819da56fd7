import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { repository } from '../support/program.ts'

/** What `--help` of a command says of it. */
export type CommandHelp = {
  path: string[]
  text: string
  options: Map<string, boolean>
  commands: string[]
  examples: string[]
}

/** Every command of the program, found through its help, as somebody finds them who has only the program. */
export async function readCommands(path: string[] = []): Promise<CommandHelp[]> {
  const help = await readHelp(path)
  const inner = await Promise.all(help.commands.map((name) => readCommands([...path, name])))
  return [help, ...inner.flat()]
}

async function readHelp(path: string[]): Promise<CommandHelp> {
  const command = ['server/src/signet.mjs', ...path, '--help']
  const { stdout: text } = await promisify(execFile)(process.execPath, command, { cwd: repository })
  const part = (name: string) => new RegExp(`^${name}:\n(.*?)(?=\n\n|\n?$(?![\\s\\S]))`, 'ms').exec(text)?.[1] ?? ''
  const names = [...part('Commands').matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name)
  return {
    path,
    text,
    options: new Map([...optionsIn(part('Options')), ...optionsIn(part('Global Options'))]),
    commands: names.filter((name) => name !== 'help'),
    examples: [...part('Examples').matchAll(/^ {2}\$ (.*)$/gm)].map(([, line = '']) => line),
  }
}

/** Whether each takes a value. */
const optionsIn = (text: string) =>
  [...text.matchAll(/^ {2}(?:(-\w), )?(--[a-z-]+)( [<[])?/gm)].flatMap(([, short, long = '', value]) =>
    [short, long].flatMap((name) => (name ? [[name, value !== undefined] as const] : [])),
  )

/** What is wrong with a command line of `signet`, or undefined. One that is not whole names a command without its arguments. */
export function wrongWith(line: string, commands: CommandHelp[], isWhole = true): string | undefined {
  const words = wordsOf(line)
  let help = commands.find(({ path }) => path.length === 0) as CommandHelp
  const rest: string[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string
    const [name = ''] = word.split('=')
    if (/^--?[a-z]/.test(word)) {
      if (!help.options.has(name)) return `signet ${help.path.join(' ')} has no option ${name}`
      if (help.options.get(name) && !word.includes('=')) at++
    } else if (rest.length === 0 && help.commands.includes(word)) {
      const path = [...help.path, word].join(' ')
      help = commands.find((each) => each.path.join(' ') === path) as CommandHelp
    } else rest.push(word)
  }
  return wrongArguments(help, rest, isWhole)
}

function wrongArguments({ path, text, commands }: CommandHelp, given: string[], isWhole: boolean): string | undefined {
  const [, usage = ''] = /^Usage: (.*)$/m.exec(text) ?? []
  const required = usage.match(/<[^>]+>/g)?.length ?? 0
  const most = required + (usage.match(/\[(?!options|command)[^\]]+\]/g)?.length ?? 0)
  if (path.length === 0 && given[0]) return `signet has no command ${given[0]}`
  if (given.length > most) return `signet ${path.join(' ')} takes no ${given[most]}`
  if (isWhole && commands.length === 0 && given.length < required) return `signet ${path.join(' ')} needs ${usage}`
  return undefined
}

/** Up to what ends a command in a shell. Quotes stay within a word. */
function wordsOf(line: string): string[] {
  const [own = ''] = /^(?:'[^']*'|"[^"]*"|\$\([^)]*\)|[^'"|&;<>)#])*/.exec(line) ?? []
  return own.match(/(?:'[^']*'|"[^"]*"|\$\([^)]*\)|[^\s'"])+/g)?.slice(1) ?? []
}
