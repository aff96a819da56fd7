/** What the site uses of Eleventy, which has no types of its own. */
declare module '@11ty/eleventy' {
  export type Library = { render(text: string, data: unknown): string }
  export type Configuration = {
    addTemplate(path: string, content: unknown, data?: object): void
    setLibrary(language: 'md', library: Library): void
    setUseGitIgnore(use: boolean): void
    setTemplateFormats(formats: string[]): void
  }
  export default class Eleventy {
    constructor(
      input: string,
      output: string,
      options: { quietMode: boolean; configPath: false; config(configuration: Configuration): object },
    )
    disableLogger(): void
    toJSON(): Promise<{ outputPath: string; content: string }[]>
  }
}
