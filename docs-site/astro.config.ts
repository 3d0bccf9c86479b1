import starlight from '@astrojs/starlight'
import { defineConfig, passthroughImageService } from 'astro/config'
import starlightOpenAPI, { openAPISidebarGroups } from 'starlight-openapi'
import starlightTypeDoc, { typeDocSidebarGroup } from 'starlight-typedoc'
import { type Application, Converter } from 'typedoc'

/** What an importer can reach. */
const entries = [
  'flow-sdk/src/index',
  'node-types/src/index',
  'node-types/src/flow',
  'testing/src/index',
  'client-sdk/src/index',
  'device-sdk/src/index',
  'mcp/src/index',
  'commands-lm/src/index',
  'commands-lm/src/chat',
  'api-server/src/index',
  'api-server/src/ahead',
  'connector-sdk/src/index',
  'connector-sdk/src/testing',
  'core/src/index',
  'worker-agent/src/index',
  'protocol/src/index',
]

/** TypeDoc calls an entry point by its path; readers know it by the package. */
function packageNames(app: Application): void {
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const entry of project.children ?? []) entry.name = entry.name.replace('/src', '')
  })
}

export default defineConfig({
  // the pictures are made as small as they are shown
  image: { service: passthroughImageService() },
  // satteri is a native module: keep it out of the prerender bundle, or its binary is not found under pnpm
  vite: {
    environments: { prerender: { resolve: { external: ['satteri'] } } },
    build: {
      rolldownOptions: {
        onLog(level, log, report) {
          // Astro's own marks in its modules make a warning for each page
          if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log)
        },
      },
    },
  },
  integrations: [
    // no site map before the site has an address
    { name: '@astrojs/sitemap', hooks: {} },
    starlight({
      title: 'flow-service',
      description: 'Flow automation engine: live and batch flows on one graph model.',
      customCss: ['./src/tables.css'],
      // code is read whole; what a terminal shows keeps its columns
      expressiveCode: { defaultProps: { overridesByLang: { 'sh,ts,js,json,python,yaml,toml': { wrap: true } } } },
      plugins: [
        starlightOpenAPI([
          { base: 'http-api', schema: '../packages/api-server/openapi.json', sidebar: { label: 'HTTP API' } },
        ]),
        starlightTypeDoc({
          entryPoints: entries.map((entry) => `../packages/${entry}.ts`),
          tsconfig: './tsconfig.typedoc.json',
          output: 'reference/typescript',
          sidebar: { label: 'TypeScript API', collapsed: true },
          typeDoc: {
            plugin: [packageNames],
            outputFileStrategy: 'modules',
            useHTMLAnchors: true,
            disableSources: true,
            excludeExternals: true,
            groupOrder: ['Functions', 'Classes', 'Interfaces', 'Type Aliases', 'Variables'],
            parametersFormat: 'table',
            interfacePropertiesFormat: 'table',
            classPropertiesFormat: 'table',
            typeAliasPropertiesFormat: 'table',
            skipErrorChecking: true, // the packages are checked by a check of their own
          },
        }),
      ],
      sidebar: [
        { label: 'Guides', items: [{ autogenerate: { directory: 'guide' } }] },
        { label: 'Packages', items: [{ autogenerate: { directory: 'reference/packages' } }] },
        { label: 'Reference', items: [{ autogenerate: { directory: 'reference/pages' } }] },
        { label: 'Project', items: [{ autogenerate: { directory: 'project' } }] },
        ...openAPISidebarGroups,
        typeDocSidebarGroup,
      ],
    }),
  ],
})
