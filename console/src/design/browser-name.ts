const browsers = [
  [/\bEdgA?\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)[\d.]* (?:Mobile\/\w+ )?Safari\//, 'Safari'],
] as const

/** A telephone names the system of a computer as well. */
const systems = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bLinux\b/, 'Linux'],
] as const

/** A browser in words, such as `Firefox 131 on Windows`, as far as it says what it is; otherwise what it says. */
export function browserName(userAgent: string): string {
  const [name] = browsers.flatMap(([form, words]) => {
    const version = form.exec(userAgent)?.[1]
    return version ? [`${words} ${version}`] : []
  })
  const system = systems.find(([form]) => form.test(userAgent))?.[1]
  if (!name) return userAgent
  return system ? `${name} on ${system}` : name
}
