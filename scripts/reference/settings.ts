import { allSettings } from '../../server/src/start/config.ts'
import { type DescribedSetting, readSections, type Section } from './described-settings.ts'
import { generatedFrom, linked } from './text.ts'

const sections = readSections()
const names = sections.flatMap(({ settings }) => settings.map(({ name }) => name))

export const settingsPage = {
  path: 'docs/reference/settings.md',
  render: () => [head(), ...sections.map(sectionText)].join('\n'),
}

const head = () => `# Settings

${generatedFrom('`signet.env.example` and `server/src/start/config.ts`')}

All ${allSettings.length} settings of a Signet, each with its form and its default. On the embedded database all are optional. How they are read,
secrets from files, the address and the data folder: [settings and the data folder](../operate/settings.md). A start names each
setting that is wrong, unknown or gone. What a later version may change about them: [versions](versions.md).

${sections.map(contentsOf).join('\n')}
`

const contentsOf = ({ title, settings }: Section) =>
  `- [${title}](#${title.toLowerCase().replaceAll(' ', '-')}): ${settings.map(({ name }) => linkOf(name)).join(', ')}`

const sectionText = ({ title, about, settings }: Section) =>
  [`## ${title}\n`, ...(about ? [`${prose(about)}\n`] : []), ...settings.map(settingText)].join('\n')

const settingText = ({ name, description, value }: DescribedSetting) =>
  `### ${name}\n\n${prose(description)}\n\n${factsOf(name, value)}\n`

function factsOf(name: string, value: string) {
  const setting = allSettings.find((each) => each.name === name)
  if (!setting) return 'Form: the path of a file. Read by Node itself.'
  const { parse, isSecret, mayBeInFile } = setting
  return [
    `Form: ${linked(parse.form)}.`,
    `Default: ${value ? `\`${value}\`` : 'none'}.`,
    ...(isSecret ? ['**Secret.**'] : []),
    ...(mayBeInFile ? [`Also from the file that \`${name}_FILE\` names.`] : []),
  ].join(' ')
}

const linkOf = (name: string) => `[\`${name}\`](#${name.toLowerCase()})`

/** Names of settings lead to their places. */
const prose = (text: string) =>
  linked(text).replaceAll(/(?<![\w`])[A-Z][A-Z_]+(?![\w`])/g, (word) => (names.includes(word) ? linkOf(word) : word))
