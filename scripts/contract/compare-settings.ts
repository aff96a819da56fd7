/** `accepted`: values that it takes, its bounds and words among them. */
export type KeptSetting = { default: string; isSecret: boolean; mayBeInFile: boolean; accepted: string[] }
export type Setting = Omit<KeptSetting, 'accepted'> & { takes(value: string): boolean }

/** What of the kept settings no longer holds: it breaks who starts a Signet with them. */
export const compareSettings = (kept: Record<string, KeptSetting>, now: Record<string, Setting>): string[] =>
  Object.entries(kept).flatMap(([name, setting]) => {
    const found = now[name]
    const problems = found ? problemsOf(setting, found) : ['is gone']
    return problems.map((problem) => `${name} ${problem}: breaks operators who set it`)
  })

const problemsOf = (kept: KeptSetting, now: Setting) => [
  ...(kept.default === now.default
    ? []
    : [`has the default ${now.default || 'none'} in place of ${kept.default || 'none'}`]),
  ...(kept.mayBeInFile && !now.mayBeInFile ? ['is not read from a file any more'] : []),
  ...(kept.isSecret && !now.isSecret ? ['is no secret any more'] : []),
  ...kept.accepted.filter((value) => !now.takes(value)).map((value) => `does not take ${value} any more`),
]
