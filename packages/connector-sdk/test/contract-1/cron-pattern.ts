export declare function cronFault(pattern: string): string | null
