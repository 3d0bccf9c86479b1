import { defineConfig } from '@hey-api/openapi-ts'

export default defineConfig({
  input: process.env.CLIENT_INPUT ?? '../api-server/openapi.json',
  output: {
    path: process.env.CLIENT_OUTPUT ?? 'src/generated',
    module: { extension: '.ts' },
    header: ['// Generated from api-server/openapi.json by `npm run generate`; do not edit.', '// @ts-nocheck'],
  },
  plugins: [
    { name: '@hey-api/client-fetch', throwOnError: true },
    '@hey-api/typescript',
    {
      name: '@hey-api/sdk',
      responseStyle: 'data',
      paramsStructure: 'flat',
      operations: { strategy: 'single', containerName: 'GeneratedClient', nesting: 'operationId' },
    },
  ],
})
