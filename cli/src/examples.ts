import type { AddHelpTextContext, Command } from 'commander'

/** The last part of a command's help. They name the program as it is called: `signet`, or `signet-cli` from its own package. */
export const examples =
  (...lines: string[]) =>
  ({ command }: AddHelpTextContext) =>
    `\nExamples:\n${lines.map((line) => `  $ ${line.replaceAll(/\bsignet(?= [a-z]|\.fish)/g, programOf(command).name())}`).join('\n')}\n`

const programOf = (command: Command): Command => (command.parent ? programOf(command.parent) : command)
