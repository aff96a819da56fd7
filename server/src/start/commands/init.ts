import { examples, type Register } from '@signet/cli'
import { shownName } from '../../ground/runtime/shown-name.ts'
import { readSettings, usage } from './settings.ts'

const firstStart = 'the first start (npm start, or signet start) makes the first organization'

export const registerInit: Register = (program, contextOf) => {
  program
    .command('init')
    .description('Make the first organization and its API key on the database of DATABASE_URL, migrating it first.')
    .option('--name <organization>', 'name of the organization', 'First organization')
    .addHelpText('after', `\nThe key is shown only once.`)
    .addHelpText('after', examples('signet init --name "Example"'))
    .action(async ({ name }: { name: string }, command) => {
      if (!/^.{1,200}$/su.test(name)) throw usage('--name: must be 1 to 200 characters')
      if (shownName(name) !== name) throw usage('--name: must not contain control or format characters')
      const config = await readSettings()
      const { databaseUrl, baseUrl } = config
      if (!databaseUrl) throw usage(`DATABASE_URL: is required; without it, ${firstStart}`)
      const { output, takeSignal } = contextOf(command)
      const { initialize } = await import('../first-organization.ts')
      const { id, apiKey } = await initialize(config, databaseUrl, name, { say: output.note, signal: takeSignal() })
      await output.show(
        { type: 'initialized', base_url: baseUrl, organization_id: id, api_key: apiKey },
        `Base URL: ${baseUrl}\nOrganization ID: ${id}\nAPI key: ${apiKey}`,
      )
    })
}
