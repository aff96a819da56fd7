import { allSettings } from '../../server/src/start/config.ts'
import { type DescribedSetting, readSections, type Section } from './described-settings.ts'
import { generatedFrom, linked, outsideCode } from './text.ts'

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

const settingText = (setting: DescribedSetting) =>
  `### ${setting.name}\n\n${prose(setting.description)}\n\n${factsOf(setting)}\n`

function factsOf({ name, description, value }: DescribedSetting) {
  const setting = allSettings.find((each) => each.name === name)
  if (!setting) return 'Form: the path of a file. Read by Node itself.'
  const { parse, isSecret, mayBeInFile } = setting
  return [
    `Form: ${linked(shortened(parse.form))}.`,
    ...(value ? [`Default: \`${value}\`.`] : /Default: /.test(description) ? [] : ['Default: none.']),
    ...(isSecret ? ['**Secret.**'] : []),
    ...(mayBeInFile ? [`Also from the file that \`${name}_FILE\` names.`] : []),
  ].join(' ')
}

const linkOf = (name: string) => `[\`${name}\`](#${name.toLowerCase()})`

/** Names of settings lead to their places. */
const prose = (text: string) =>
  outsideCode(linked(text), (part) =>
    part.replaceAll(/\b[A-Z][A-Z_]+\b/g, (word) => (names.includes(word) ? linkOf(word) : word)),
  )

/** Go writes every part of a duration. */
const shortened = (form: string) => form.replaceAll(/(?<=\dh)0m0s|(?<=\dm)0s/g, '')
