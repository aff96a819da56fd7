/** `$${` stands for `${`; anything else that begins with `${` is a variable, or an error. */
const reference = /\$\$\{|\$\{([^}]*)(\})?/g
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/
/** So that one of a webhook and of one of its headers stays readable. */
const maxWordLength = 40

export type Environment = Record<string, string | undefined>
/** `unset`: the variables that have no value. */
export type Expanded = { text: string; problems: string[]; unset: string[]; hasVariable: boolean }

/** Replaces each `${NAME}` by its value. An empty value counts as none: it is what a pipeline gives for a secret that it lacks. */
export function expand(text: string, environment: Environment): Expanded {
  const problems: string[] = []
  const unset: string[] = []
  let hasVariable = false
  const replaced = text.replace(reference, (match, name?: string, end?: string) => {
    if (match === '$${') return '${'
    hasVariable = true
    if (!end || !name || !variableName.test(name))
      problems.push(`"\${" begins a variable, such as \${NAME}; for the characters themselves write $\${`)
    else if (!environment[name]) unset.push(name)
    return (name && environment[name]) || ''
  })
  return { text: replaced, problems: [...new Set(problems)], unset: [...new Set(unset)], hasVariable }
}

export const unsetRule = (name: string) => `the environment variable ${name} is not set`

/** What `expand` reads back as `text`. */
export const escapeVariables = (text: string) => text.replaceAll('${', () => '$${')

/** Gives names for variables, each once: a second of the same words gets the number 2. */
export function createVariableNames() {
  const taken = new Set<string>()
  return (...words: string[]) => {
    const name = words.map(toWord).filter(Boolean).join('_')
    let unique = name
    for (let count = 2; taken.has(unique); count++) unique = `${name}_${count}`
    taken.add(unique)
    return unique
  }
}

const toWord = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .slice(0, maxWordLength)
    .replace(/^_+|_+$/g, '')
    .toUpperCase()
