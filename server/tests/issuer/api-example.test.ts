import { apiTakesTokens } from '../support/api-example.ts'

apiTakesTokens('The API of examples/api in Express', [process.execPath, 'examples/api/api.ts'])
