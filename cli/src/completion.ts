import { Argument, type Command } from 'commander'
import type { Register } from './context.ts'
import { examples } from './examples.ts'

const shells = ['bash', 'zsh', 'fish'] as const

export const registerCompletion: Register = (program, contextOf) => {
  const command = program.command('completion').description('Print the completion of a shell.')
  command
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText(
      'after',
      examples(
        'source <(signet completion bash)',
        'source <(signet completion zsh)',
        'signet completion fish > ~/.config/fish/completions/signet.fish',
      ),
    )
    .action((shell: (typeof shells)[number]) =>
      contextOf(command).output.line(scripts[shell](program.name(), wordsOf(program))),
    )
}

type Words = { name: string; words: string[] }[]

const optionsOf = (command: Command) => command.options.flatMap(({ long }) => (long ? [long] : []))

/** What may follow each command; the empty name is the program. */
function wordsOf(program: Command): Words {
  const common = [...optionsOf(program), '--help']
  const ofCommands = program.commands.map((command) => ({
    name: command.name(),
    words: [...command.commands.map((inner) => inner.name()), ...optionsOf(command), ...common],
  }))
  return [{ name: '', words: [...program.commands.map((command) => command.name()), ...common] }, ...ofCommands]
}

const cases = (words: Words) =>
  words.map(({ name, words }) => `    ${name || "''"}) words='${words.join(' ')}' ;;`).join('\n')

const scripts = {
  bash: (name: string, words: Words) => `_${name}() {
  local words command='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) command="$word"; break ;; esac
  done
  case "$command" in
${cases(words)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _${name} ${name}`,
  zsh: (name: string, words: Words) => `autoload -Uz compinit bashcompinit
(( $+functions[compdef] )) || compinit
bashcompinit
${scripts.bash(name, words)}`,
  fish: (name: string, words: Words) =>
    [
      `complete -c ${name} -f`,
      ...words.flatMap(({ name: command, words }) => words.map((word) => fishLine(name, command, word))),
    ].join('\n'),
}

const fishLine = (name: string, command: string, word: string) => {
  const condition = command ? `__fish_seen_subcommand_from ${command}` : '__fish_use_subcommand'
  return `complete -c ${name} -n '${condition}' ${word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`}`
}
