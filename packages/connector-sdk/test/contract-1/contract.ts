export declare const CONTRACT = 1
