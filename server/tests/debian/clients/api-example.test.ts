import { apiTakesTokens } from '../../support/api-example.ts'

apiTakesTokens('The API of examples/api in Python', ['/usr/bin/python3', 'examples/api/api.py'])
